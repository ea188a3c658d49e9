import yaml
from pyspark.sql import SparkSession

with open("settings.yaml") as file:
    settings = yaml.safe_load(file)["spark"]
builder = SparkSession.builder.appName("orders").config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1")
for key, value in settings.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
orders = spark.readStream.format("rate").load()
orders.writeStream.format("console").start().awaitTermination()
