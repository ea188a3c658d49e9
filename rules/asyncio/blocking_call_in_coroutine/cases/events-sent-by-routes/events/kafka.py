import json

from confluent_kafka import Producer as Client
from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092", retries=5)


def publish_event(event):
    future = producer.send("events", json.dumps(event).encode())
    _wait(future)


def _wait(future):
    print(future.get(timeout=5))  # expect: blocking-call-in-coroutine


def shutdown_kafka():
    producer.flush()


class Publisher:
    def __init__(self):
        self.client = Client({"bootstrap.servers": "broker:9092"})

    def publish(self, event):
        self.client.produce("events", event, on_delivery=print)
        self.client.flush()  # expect: blocking-call-in-coroutine

    def publish_later(self, event):
        self.client.produce("events", event, on_delivery=print)
        self.client.poll(0)
