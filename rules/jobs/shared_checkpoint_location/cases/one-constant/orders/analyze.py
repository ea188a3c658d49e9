from config import Config
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").getOrCreate()
rows = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
query = (
    rows.writeStream.format("parquet")
    .option("path", "s3a://lake/orders")
    .option("checkpointLocation", Config.CHECKPOINT_LOGS)
    .start()
)
query.awaitTermination()
