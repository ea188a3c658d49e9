import requests
from pyspark.sql import SparkSession


def tell(row):
    requests.post("https://hooks.example/orders", json=row.asDict(), timeout=5)


spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
query = orders.writeStream.option("checkpointLocation", "s3a://state/orders").foreach(tell).start()
query.awaitTermination()
