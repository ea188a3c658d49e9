import sys

from pyspark.sql import SparkSession

builder = SparkSession.builder.appName("orders")
if "--here" in sys.argv:
    builder = builder.master("local[*]")
spark = builder.getOrCreate()
spark.readStream.format("rate").load().writeStream.format("console").option("checkpointLocation", "s3a://jobs/orders").start().awaitTermination()
