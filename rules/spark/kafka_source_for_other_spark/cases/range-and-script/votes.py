from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("votes").getOrCreate()
votes = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "kafka:9092").option("subscribe", "votes").load()
votes.writeStream.format("parquet").option("checkpointLocation", "s3a://lake/chk").start("s3a://lake/votes").awaitTermination()
