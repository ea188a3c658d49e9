from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
orders.writeStream.format("kafka").option("topic", "copy").option("checkpointLocation", "s3a://lake/chk").start().awaitTermination()
