from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "b:9092").option("subscribe", "orders").load()
orders.writeStream.format("delta").option("checkpointLocation", "s3a://state/orders").start("s3a://lake/orders").awaitTermination()
