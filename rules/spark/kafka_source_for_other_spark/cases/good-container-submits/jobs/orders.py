from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
orders.writeStream.format("parquet").option("path", "s3://lake/orders").option("checkpointLocation", "s3://lake/checkpoints/orders").start().awaitTermination()
