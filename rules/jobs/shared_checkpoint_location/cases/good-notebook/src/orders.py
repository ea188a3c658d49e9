from pyspark.sql import SparkSession

LAKE = "s3a://lake/orders"
spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
query = orders.writeStream.format("parquet").option("path", LAKE).option("checkpointLocation", "s3a://lake/checkpoints/orders").start()
query.awaitTermination()
