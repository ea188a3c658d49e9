from pyspark.sql import SparkSession

spark = SparkSession.builder.config("spark.jars.packages", "io.delta:delta-spark_2.12:3.2.0").getOrCreate()
votes = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "kafka:9092").option("subscribe", "votes").load()
votes.writeStream.format("parquet").option("checkpointLocation", "s3a://lake/chk").start("s3a://lake/votes").awaitTermination()
