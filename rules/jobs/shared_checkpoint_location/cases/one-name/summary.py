from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("summary").getOrCreate()
sales = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "sales.avro").load()
options = {"kafka.bootstrap.servers": "broker:9092", "topic": "sales.summary"}
query = sales.writeStream.queryName("to_kafka").format("kafka").options(**options)
query.option("checkpointLocation", "/checkpoint/kafka").start().awaitTermination()  # expect: shared-checkpoint-location
