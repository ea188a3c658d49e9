from pyspark.sql import SparkSession
from writers import to_lake, to_topic

spark = SparkSession.builder.getOrCreate()


def store(batch, batch_id):
    to_lake(batch, batch_id)
    to_topic(batch)  # expect: foreach-batch-recomputed


spark.readStream.table("orders").writeStream.foreachBatch(store).option("checkpointLocation", "s3://lake/chk").start().awaitTermination()
