from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()

query = orders.writeStream.format("parquet").option("checkpointLocation", "checkpoints/orders").start("gs://lake/orders")  # expect: streaming-checkpoint-on-local-path
query.awaitTermination()
