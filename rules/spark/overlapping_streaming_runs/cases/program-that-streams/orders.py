from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.table("raw.orders")
orders.writeStream.option("checkpointLocation", "/Volumes/main/state/orders").trigger(availableNow=True).toTable("orders")
