from pyspark.sql import SparkSession

spark = SparkSession.builder.config("spark.jars", "/opt/spark-cassandra-connector_2.12-3.3.0.jar").getOrCreate()  # expect: kafka-source-missing
votes = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "kafka:9092").option("subscribe", "votes").load()
votes.writeStream.format("parquet").option("checkpointLocation", "s3a://lake/chk").start("s3a://lake/votes").awaitTermination()
