from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
writer = orders.writeStream.format("parquet").option("path", "s3a://lake/orders")
query = writer.option("checkpointLocation", "file:///tmp/checkpoints/orders").start()  # expect: streaming-checkpoint-on-local-path
query.awaitTermination()
