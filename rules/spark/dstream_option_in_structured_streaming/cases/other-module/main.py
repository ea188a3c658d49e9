import sys

from jobs import orders
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.appName("data")
    .config("spark.streaming.backpressure.enabled", "true")  # expect: dstream-option-in-structured-streaming
    .config("spark.sql.shuffle.partitions", 64)
    .getOrCreate()
)
if sys.argv[1] == "orders":
    orders.run(spark)
