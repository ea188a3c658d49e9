import os

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("returns").master(os.environ.get("SPARK_MASTER", "local[*]")).getOrCreate()
spark.readStream.format("rate").load().writeStream.format("console").option("checkpointLocation", "s3a://jobs/returns").start().awaitTermination()
