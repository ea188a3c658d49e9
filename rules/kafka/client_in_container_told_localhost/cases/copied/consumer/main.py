from confluent_kafka import Consumer

consumer = Consumer({"bootstrap.servers": "kafka:29092", "group.id": "orders"})
consumer.subscribe(["orders"])
message = consumer.poll(1.0)
if message is not None and not message.error():
    print(message.value())
consumer.close()
