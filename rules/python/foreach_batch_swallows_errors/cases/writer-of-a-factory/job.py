from pyspark.sql import SparkSession

from sinks.tables import Stored, make_writer

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
orders.writeStream.foreachBatch(make_writer("orders")).option("checkpointLocation", "s3://lake/chk/orders").start()
orders.writeStream.foreachBatch(Stored("copies")).option("checkpointLocation", "s3://lake/chk/copies").start()
spark.streams.awaitAnyTermination()
