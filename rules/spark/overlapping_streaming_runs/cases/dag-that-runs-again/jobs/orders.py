from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("subscribe", "orders").option("kafka.bootstrap.servers", "kafka:9092").load()
query = orders.writeStream.format("parquet").option("path", "s3a://shop/orders").option("checkpointLocation", "s3a://state/orders").start()
query.awaitTermination()
