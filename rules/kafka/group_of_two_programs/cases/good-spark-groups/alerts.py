from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("alerts").getOrCreate()
orders = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "broker:9092")
    .option("subscribe", "orders")
    .option("kafka.group.id", "alerts")
    .load()
)
orders.writeStream.format("delta").option("checkpointLocation", "s3a://state/alerts").start("s3a://lake/alerts").awaitTermination()
