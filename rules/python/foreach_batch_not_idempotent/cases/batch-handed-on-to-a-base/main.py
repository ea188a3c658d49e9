from gold import Gold
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
gold = Gold(spark)


def save(batch, batch_id):
    gold.append(batch, "s3a://lake/gold/orders")


orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
orders.writeStream.foreachBatch(save).option("checkpointLocation", "s3a://lake/c/orders").start().awaitTermination()
