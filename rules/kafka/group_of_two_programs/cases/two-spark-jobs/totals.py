from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("totals").getOrCreate()
orders = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "broker:9092")
    .option("subscribe", "payments,orders")
    .option("kafka.group.id", "shop")  # expect: group-of-two-programs
    .load()
)
orders.writeStream.format("delta").option("checkpointLocation", "s3a://state/totals").start("s3a://lake/totals").awaitTermination()
