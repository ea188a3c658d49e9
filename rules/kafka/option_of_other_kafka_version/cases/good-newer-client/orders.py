from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").getOrCreate()
orders = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "broker:9092")
    .option("kafka.group.protocol", "consumer")
    .option("subscribe", "orders")
    .load()
)
orders.writeStream.format("console").start().awaitTermination()
