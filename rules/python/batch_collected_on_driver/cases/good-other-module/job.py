from pyspark.sql import SparkSession
from writer import write_points


def store(batch, batch_id):
    orders = batch.filter("amount > 0")
    write_points(orders, batch_id)


spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("rate").load()
orders.writeStream.foreachBatch(store).option("checkpointLocation", "s3://lake/orders").start().awaitTermination()
