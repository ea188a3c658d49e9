def to_lake(frame, batch_id):
    frame.write.format("delta").option("txnAppId", "orders").option("txnVersion", batch_id).mode("append").save("s3://lake/orders")


def to_topic(frame):
    frame.write.format("kafka").option("kafka.bootstrap.servers", "broker:9092").option("topic", "orders").save()
