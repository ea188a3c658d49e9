from pyspark.sql import SparkSession

from steps import cleaned

spark = SparkSession.builder.getOrCreate()
events = spark.readStream.format("delta").load("s3://lake/bronze")
query = (
    cleaned(events, "strict")
    .writeStream.format("delta")
    .option("checkpointLocation", "s3://lake/checkpoints/silver")
    .start("s3://lake/silver")
)
query.awaitTermination()
