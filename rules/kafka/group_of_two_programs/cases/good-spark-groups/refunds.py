from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("refunds").getOrCreate()
orders = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "broker:9092")
    .option("subscribe", "refunds")
    .option("kafka.group.id", "alerts")
    .load()
)
orders.writeStream.format("delta").option("checkpointLocation", "s3a://state/refunds").start("s3a://lake/refunds").awaitTermination()
