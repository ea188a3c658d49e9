from confluent_kafka import Consumer


def init_consumer(topic, group):
    consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": group, "enable.auto.commit": False})
    consumer.subscribe([topic])
    return consumer
