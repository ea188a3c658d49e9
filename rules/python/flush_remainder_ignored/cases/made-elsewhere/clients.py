import json

from confluent_kafka import Producer


def make_producer(settings):
    return Producer({"bootstrap.servers": settings.brokers, "acks": "all"})


def publish(producer, topic, value):
    producer.produce(topic, json.dumps(value), on_delivery=print)
    producer.poll(0)
