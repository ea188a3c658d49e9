from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
query = orders.writeStream.format("parquet").option("path", "s3a://lake/orders").option("checkpointLocation", "s3a://lake/checkpoints/orders").start()
query.awaitTermination()
