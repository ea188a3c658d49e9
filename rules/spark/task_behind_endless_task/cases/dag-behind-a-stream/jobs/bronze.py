from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("bronze").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "kafka:9092").option("subscribe", "orders").load()
query = (
    orders.writeStream.format("delta")
    .option("checkpointLocation", "s3a://state/bronze")
    .trigger(processingTime="1 minute")
    .toTable("shop.bronze")
)
query.awaitTermination()
