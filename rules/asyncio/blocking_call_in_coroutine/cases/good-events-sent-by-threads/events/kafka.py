import json

from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092", retries=5)


def publish_event(event):
    future = producer.send("events", json.dumps(event).encode())
    print(future.get(timeout=5))
