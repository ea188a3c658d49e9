from config import Config
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("returns").getOrCreate()
rows = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "returns").load()
query = (
    rows.writeStream.format("parquet")
    .option("path", "s3a://lake/returns")
    .option("checkpointLocation", Config.CHECKPOINT_SEVS)
    .start()
)
query.awaitTermination()
