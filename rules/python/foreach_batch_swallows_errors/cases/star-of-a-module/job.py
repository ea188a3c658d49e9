from pyspark.sql import SparkSession
from stores.orders import *

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
orders.writeStream.option("checkpointLocation", "s3a://state/orders").foreachBatch(store_orders).start().awaitTermination()
