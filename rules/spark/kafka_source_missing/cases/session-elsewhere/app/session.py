from pyspark.sql import SparkSession


def make():
    return SparkSession.builder.appName("votes").config("spark.sql.shuffle.partitions", "4").getOrCreate()
