from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from sinks import Store, write

spark = SparkSession.builder.getOrCreate()
store = Store("jdbc:postgresql://db/shop")


def save(batch, batch_id):
    print(f"batch {batch_id}")
    write(batch.filter(col("value").isNotNull()), "orders")


def save_again(batch, batch_id):
    store.write(batch, "orders")


orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
orders.writeStream.foreachBatch(save).option("checkpointLocation", "s3a://lake/c/1").start()
orders.writeStream.foreachBatch(save_again).option("checkpointLocation", "s3a://lake/c/2").start()
spark.streams.awaitAnyTermination()
