from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "broker:9092")
    .option("subscribe", "orders")
    .option("minOffsetsPerTrigger", 1000)
    .option("maxRecordsPerPartition", 10000)
    .load()
)
query = orders.writeStream.format("console").start()
query.awaitTermination()
