from pyspark.sql import SparkSession

spark = SparkSession.builder.config("spark.jars.packages", "io.delta:delta-spark_2.12:3.2.0").getOrCreate()  # expect: delta-catalog-not-set
spark.read.format("delta").load("s3a://lake/orders").show()
