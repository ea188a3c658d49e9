from confluent_kafka import Consumer

consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "deletions", "enable.auto.commit": True})
