from pyspark.sql import SparkSession
from writers import by_topic, of_table

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.table("orders")
kept = orders.writeStream.foreachBatch(lambda batch, batch_id: by_topic(batch, batch_id, "s3://lake"))
kept.option("checkpointLocation", "s3://state/orders").start()
counted = orders.writeStream.foreachBatch(lambda *batch: of_table("orders", batch[1]))
counted.option("checkpointLocation", "s3://state/counts").start()
spark.streams.awaitAnyTermination()
