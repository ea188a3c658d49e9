from pyspark.sql import SparkSession

spark = SparkSession.builder.config("spark.hadoop.fs.s3a.endpoint", "http://shop-minio:9000").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "kafka:9092").option("subscribe", "orders").load()
orders.writeStream.format("parquet").option("path", "s3a://shop/orders").option("checkpointLocation", "s3a://shop/checkpoints/orders").start().awaitTermination()
