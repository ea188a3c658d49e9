from pyspark.sql import SparkSession


def make():
    packages = "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1"
    return SparkSession.builder.appName("votes").config("spark.jars.packages", packages).getOrCreate()
