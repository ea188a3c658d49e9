from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "broker:9092")
    .option("kafka.auto.include.jmx.reporter", "false")  # expect: deprecated-kafka-option
    .option("subscribe", "orders")
    .load()
)
query = orders.writeStream.format("parquet").option("checkpointLocation", "s3a://lake/state").start("s3a://lake/orders")
query.awaitTermination()
