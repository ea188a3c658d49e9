from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("totals").getOrCreate()
payments = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "broker:9092")
    .option("subscribe", "payments")
    .load()
)
query = payments.writeStream.format("parquet").option("path", "s3://lake/p").option("checkpointLocation", "s3://lake/c").start()
query.awaitTermination()
