from conf import Kafka
from pyspark.sql import SparkSession

kafka = Kafka()
spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.table("orders").selectExpr("CAST(id AS STRING) AS value")
orders.writeStream.format("kafka").options(**kafka.options()).start().awaitTermination()
