from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()

query = orders.writeStream.format("delta").option("checkpointLocation", "file:/local_disk0/orders").start("/lake/orders")  # expect: streaming-checkpoint-on-local-path
query.awaitTermination()
