from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.appName("orders")
    .master("local[*]")
    .getOrCreate()
)
orders = spark.readStream.format("rate").load()
orders.writeStream.format("console").option("checkpointLocation", "s3a://jobs/orders").start().awaitTermination()
