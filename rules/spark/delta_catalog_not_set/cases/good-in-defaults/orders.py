from pyspark.sql import SparkSession

spark = SparkSession.builder.config("spark.jars.packages", "io.delta:delta-spark_2.12:3.2.0").getOrCreate()
spark.read.format("delta").load("s3a://lake/orders").show()
