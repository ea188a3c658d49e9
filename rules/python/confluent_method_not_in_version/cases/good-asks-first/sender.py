from confluent_kafka import Consumer, Producer

producer = Producer({"bootstrap.servers": "broker:9092"})
producer.produce("orders", b"1")
producer.flush()
if hasattr(producer, "close"):
    producer.close()
consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "orders"})
consumer.close()
