from pyspark.sql import SparkSession
from pyspark.sql.functions import lit
from sinks import count, write, write_known, write_new

spark = SparkSession.builder.getOrCreate()


def save(batch, batch_id):
    write(batch.withColumn("batch", lit(batch_id)), "orders")


def save_known(batch, batch_id):
    write_known(batch, batch_id)


def save_new(batch, batch_id):
    known = spark.read.table("shop.orders")
    write_new(batch.join(known, "id", "left_anti"))


def save_counts(batch, batch_id):
    count(batch.groupBy("key").count())


orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
orders.writeStream.foreachBatch(save).option("checkpointLocation", "s3a://lake/c/1").start()
orders.writeStream.foreachBatch(save_known).option("checkpointLocation", "s3a://lake/c/2").start()
orders.writeStream.foreachBatch(save_new).option("checkpointLocation", "s3a://lake/c/3").start()
orders.writeStream.foreachBatch(save_counts).option("checkpointLocation", "s3a://lake/c/4").start()
spark.streams.awaitAnyTermination()
