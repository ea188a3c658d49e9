from pyspark.sql import SparkSession


def run(spark: SparkSession) -> None:
    rows = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
    query = rows.writeStream.format("delta").option("checkpointLocation", "s3a://state/orders").start("s3a://lake/orders")
    query.awaitTermination()
