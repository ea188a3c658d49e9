from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "kafka:9092").option("subscribe", "orders").load()
orders.writeStream.format("parquet").option("checkpointLocation", "s3a://lake/chk").start("s3a://lake/orders").awaitTermination()
