from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").getOrCreate()
query = spark.readStream.format("rate").load().writeStream.format("console").start()
query.awaitTermination()
