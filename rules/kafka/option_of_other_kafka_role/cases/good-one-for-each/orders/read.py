from confluent_kafka import Consumer

consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "orders", "auto.offset.reset": "earliest"})
