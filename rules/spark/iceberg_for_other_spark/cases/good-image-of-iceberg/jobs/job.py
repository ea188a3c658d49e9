from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.appName("orders")
    .config("spark.jars.packages", "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.5.0")
    .getOrCreate()
)
orders = spark.readStream.table("lake.orders")
orders.writeStream.format("iceberg").option("checkpointLocation", "s3a://lake/chk").toTable("lake.copy").awaitTermination()
