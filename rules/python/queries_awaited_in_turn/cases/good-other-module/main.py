from pyspark.sql import SparkSession
from streams import copy

spark = SparkSession.builder.getOrCreate()
clicks = copy(spark, "clicks")
views = copy(spark, "views")
clicks.awaitTermination()
views.awaitTermination()
