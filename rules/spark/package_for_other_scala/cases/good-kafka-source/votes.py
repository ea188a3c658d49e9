from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.appName("votes")
    .config("spark.jars.packages", "org.apache.spark:spark-sql-kafka-0-10_2.13:3.5.1")
    .getOrCreate()
)
spark.readStream.format("rate").load().writeStream.format("org.apache.spark.sql.cassandra").option("checkpointLocation", "/c").start()
