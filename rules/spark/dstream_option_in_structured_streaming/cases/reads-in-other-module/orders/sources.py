from pyspark.sql import DataFrame, SparkSession


def read(spark: SparkSession) -> DataFrame:
    return spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
