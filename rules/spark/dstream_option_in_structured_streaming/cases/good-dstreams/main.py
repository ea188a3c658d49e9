import sys

from jobs import orders
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.appName("data")
    .config("spark.streaming.backpressure.enabled", "true")
    .config("spark.sql.shuffle.partitions", 64)
    .getOrCreate()
)
if sys.argv[1] == "orders":
    orders.run(spark)
