from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.appName("orders")
    .master("local[2]")
    .config("spark.driver.memory", "4g")
    .config("spark.executor.memory", "4g")
    .getOrCreate()
)
orders = spark.readStream.format("rate").load()
orders.writeStream.format("console").start().awaitTermination()
