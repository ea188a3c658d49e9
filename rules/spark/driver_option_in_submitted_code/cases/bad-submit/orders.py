from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.appName("orders")
    .config("spark.driver.memory", "4g")  # expect: driver-option-in-submitted-code
    .config("spark.executor.memory", "4g")
    .getOrCreate()
)
orders = spark.readStream.format("rate").load()
orders.writeStream.format("console").start().awaitTermination()
