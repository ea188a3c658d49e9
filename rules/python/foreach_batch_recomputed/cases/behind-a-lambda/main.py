from pyspark.sql import SparkSession
from writers import by_topic

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.table("orders")
query = orders.writeStream.foreachBatch(lambda batch, batch_id: by_topic(batch, batch_id, "s3://lake"))
query.option("checkpointLocation", "s3://state/orders").start().awaitTermination()
