from pyspark.sql import SparkSession


def save(frame, batch_id):
    frame.write.format("delta").option("txnVersion", batch_id).option("txnAppId", "orders").mode("append").save("s3a://lake/orders")


spark = SparkSession.builder.appName("orders").getOrCreate()
orders = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("subscribe", "orders").load()
query = orders.writeStream.queryName("orders").foreachBatch(save).start()
query.awaitTermination()
