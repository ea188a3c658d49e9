from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
query = orders.writeStream.foreachBatch(save).option("checkpointLocation", "/tmp/checkpoints/orders").start()
query.awaitTermination()
