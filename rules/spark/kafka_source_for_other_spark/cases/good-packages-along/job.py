from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.config(
        "spark.jars.packages",
        "org.apache.spark:spark-sql-kafka-0-10_2.12:3.4.1,org.apache.spark:spark-token-provider-kafka-0-10_2.12:3.0.0-preview2",
    )
    .config("spark.cassandra.connection.host", "cassandra")
    .getOrCreate()
)
