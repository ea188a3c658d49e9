import os

from pyspark.sql import SparkSession

os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--packages org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1 pyspark-shell")

spark = SparkSession.builder.appName("orders").config("spark.driver.memory", "2g").getOrCreate()
spark.readStream.format("kafka").option("subscribe", "orders").load()
