from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("votes").config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1").getOrCreate()
votes = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "kafka:9092").option("subscribe", "votes").load()
votes.writeStream.format("parquet").option("checkpointLocation", "s3a://lake/chk").start("s3a://lake/votes").awaitTermination()
