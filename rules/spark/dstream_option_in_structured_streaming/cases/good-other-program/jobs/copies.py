from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
fleet = spark.readStream.format("delta").load("s3://fleet/in")
fleet.writeStream.format("delta").option("checkpointLocation", "s3://fleet/chk").start("s3://fleet/out").awaitTermination()
