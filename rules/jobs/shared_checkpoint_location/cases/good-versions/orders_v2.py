import os

from pyspark.sql import SparkSession

bucket = os.environ["BUCKET"]
spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
query = (
    orders.writeStream.format("parquet")
    .partitionBy("topic")
    .option("path", f"s3a://{bucket}/orders")
    .option("checkpointLocation", "s3a://lake/checkpoints/orders")
    .start()
)
query.awaitTermination()
