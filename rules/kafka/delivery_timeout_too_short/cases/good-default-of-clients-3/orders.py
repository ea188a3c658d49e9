from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.read.format("parquet").load("s3a://lake/orders")
(
    orders.write.format("kafka")
    .option("kafka.bootstrap.servers", "broker:9092")
    .option("kafka.delivery.timeout.ms", "30000")
    .option("topic", "orders")
    .save()
)
