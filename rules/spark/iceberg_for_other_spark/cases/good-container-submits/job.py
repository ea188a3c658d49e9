from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.table("lake.orders")
orders.writeStream.format("iceberg").option("checkpointLocation", "s3a://lake/chk").toTable("lake.copy").awaitTermination()
