from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "broker:9092")
    .option("kafka.session.timeout.ms", "10000")  # expect: default-of-other-kafka-version
    .option("subscribe", "orders")
    .load()
)
query = orders.writeStream.format("parquet").option("checkpointLocation", "s3a://lake/state").start("s3a://lake/orders")
query.awaitTermination()
