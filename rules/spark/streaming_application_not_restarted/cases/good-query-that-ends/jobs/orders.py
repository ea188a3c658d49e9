from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
query = orders.writeStream.format("parquet").option("path", "s3a://lake/orders").option("checkpointLocation", "s3a://lake/state").trigger(availableNow=True).start()
query.awaitTermination()
