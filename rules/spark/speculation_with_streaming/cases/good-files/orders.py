from pyspark.sql import SparkSession



spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
query = orders.writeStream.option("checkpointLocation", "s3a://state/orders").format("parquet").option("path", "s3a://lake/orders").start()
query.awaitTermination()
