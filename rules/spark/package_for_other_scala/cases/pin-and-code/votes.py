from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.appName("votes")
    .config("spark.jars.packages", "com.datastax.spark:spark-cassandra-connector_2.13:3.4.1")  # expect: package-for-other-scala
    .getOrCreate()
)
spark.readStream.format("rate").load().writeStream.format("org.apache.spark.sql.cassandra").option("checkpointLocation", "/c").start()
