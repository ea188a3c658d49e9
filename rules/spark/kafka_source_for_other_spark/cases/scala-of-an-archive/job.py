from pyspark.sql import SparkSession

spark = SparkSession.builder.config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.13:3.4.4").getOrCreate()  # expect: kafka-source-for-other-spark
spark.readStream.format("rate").load().writeStream.format("noop").option("checkpointLocation", "s3://lake/c").start().awaitTermination()
