from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "localhost:9092")  # expect: client-in-container-told-localhost
query = orders.option("subscribe", "orders").load().writeStream.format("console").option("checkpointLocation", "s3a://lake/c").start()
query.awaitTermination()
