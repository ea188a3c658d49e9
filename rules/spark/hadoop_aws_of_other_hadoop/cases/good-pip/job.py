from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.appName("orders")
    .config("spark.jars.packages", "org.apache.hadoop:hadoop-aws:3.3.4")
    .getOrCreate()
)
spark.readStream.format("rate").load().writeStream.format("parquet").option("checkpointLocation", "s3a://lake/c").start("s3a://lake/o")
