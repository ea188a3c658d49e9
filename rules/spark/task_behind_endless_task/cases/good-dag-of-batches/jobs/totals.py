from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("totals").getOrCreate()
spark.table("shop.silver").groupBy("day").count().write.mode("overwrite").saveAsTable("shop.totals")
