from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()

# DBFS, a volume, and DBFS again, by its mount on the driver
orders.writeStream.format("delta").option("checkpointLocation", "checkpoints/raw").queryName("raw").start("/lake/raw")
orders.writeStream.format("delta").option("checkpointLocation", "/Volumes/main/orders/state/by_day").queryName("by_day").start("/lake/by_day")
query = orders.writeStream.format("delta").option("checkpointLocation", "file:/dbfs/checkpoints/all").queryName("all").start("/lake/all")
spark.streams.awaitAnyTermination()
