from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("clicks").getOrCreate()
clicks = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "kafka:9092").option("subscribe", "clicks").load()
query = clicks.writeStream.format("delta").option("checkpointLocation", "s3a://lake/chk").trigger(processingTime="1 minute").start("s3a://lake/clicks")
query.awaitTermination()
