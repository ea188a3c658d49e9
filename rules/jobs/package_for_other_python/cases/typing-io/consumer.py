from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.readStream.format("kafka").option("kafka.bootstrap.servers", "kafka:9092").option("subscribe", "orders").load()
