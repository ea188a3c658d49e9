from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession


def make():
    builder = SparkSession.builder.appName("votes")
    return configure_spark_with_delta_pip(builder, extra_packages=["org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1"]).getOrCreate()
