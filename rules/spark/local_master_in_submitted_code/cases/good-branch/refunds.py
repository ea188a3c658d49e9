import sys

from pyspark.sql import SparkSession


def session(here: bool) -> SparkSession:
    if here:
        return SparkSession.builder.appName("refunds").master("local[*]").getOrCreate()
    return SparkSession.builder.appName("refunds").getOrCreate()


spark = session("--here" in sys.argv)
spark.readStream.format("rate").load().writeStream.format("console").option("checkpointLocation", "s3a://jobs/refunds").start().awaitTermination()
