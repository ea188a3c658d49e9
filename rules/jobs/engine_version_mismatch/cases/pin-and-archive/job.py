from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.readStream.format("rate").load().writeStream.format("noop").option("checkpointLocation", "s3://lake/c").start().awaitTermination()
