import os

from pyspark.sql import SparkSession

os.environ["PYSPARK_SUBMIT_ARGS"] = (
    "--packages org.postgresql:postgresql:42.7.3,"
    "org.apache.spark:spark-sql-kafka-0-10_2.12:3.0.1 "  # expect: kafka-source-for-other-spark
    "--conf spark.sql.shuffle.partitions=8 pyspark-shell"
)

spark = SparkSession.builder.appName("orders").getOrCreate()
spark.readStream.format("kafka").option("subscribe", "orders").load()
