from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.read.table("raw.orders").write.mode("append").saveAsTable("orders")
