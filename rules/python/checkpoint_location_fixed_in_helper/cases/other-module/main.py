from pyspark.sql import SparkSession
from sinks import write

spark = SparkSession.builder.getOrCreate()
rows = spark.readStream.format("delta").load("s3://lake/bronze")
write(rows.where("valid"), "s3://lake/valid")
write(rows.where("not valid"), "s3://lake/broken")  # expect: checkpoint-location-fixed-in-helper
spark.streams.awaitAnyTermination()
