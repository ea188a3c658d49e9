from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
writer = orders.writeStream.format("delta").option("checkpointLocation", "s3a://state/orders")
writer.trigger(once=True).start("s3a://lake/orders").awaitTermination()  # expect: trigger-once
