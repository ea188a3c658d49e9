from confluent_kafka import Consumer


def made_consumer(topic, settings):
    consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "billing", **settings})
    consumer.subscribe([topic])
    return consumer
