from config import Config
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("visits").getOrCreate()
rows = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "visits").load()
query = (
    rows.writeStream.format("parquet")
    .option("path", "s3a://lake/visits")
    .option("checkpointLocation", Config.CHECKPOINT_LOGS)  # expect: shared-checkpoint-location
    .start()
)
query.awaitTermination()
