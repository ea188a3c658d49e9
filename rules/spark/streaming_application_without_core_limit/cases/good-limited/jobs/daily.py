from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("daily").getOrCreate()
spark.read.format("delta").load("s3a://lake/clicks").groupBy("page").count().write.mode("overwrite").saveAsTable("daily")
