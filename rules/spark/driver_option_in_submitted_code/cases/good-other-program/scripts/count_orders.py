from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("count-orders").config("spark.driver.memory", "4g").getOrCreate()
print(spark.table("lake.orders").count())
