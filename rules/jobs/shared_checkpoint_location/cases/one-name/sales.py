from pyspark.sql import SparkSession

TOPIC = "sales.by-country"

spark = SparkSession.builder.appName("sales").getOrCreate()
sales = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "sales").load()
options = {"kafka.bootstrap.servers": "broker:9092", "topic": TOPIC}
query = sales.writeStream.queryName("to_kafka").format("kafka").options(**options)
query.option("checkpointLocation", "/checkpoint/kafka/").start().awaitTermination()
