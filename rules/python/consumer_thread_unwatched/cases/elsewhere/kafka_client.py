import json

from kafka import KafkaConsumer


def consume(topic, group):
    consumer = KafkaConsumer(topic, bootstrap_servers="broker:9092", group_id=group, value_deserializer=json.loads)
    for record in consumer:
        yield record.value
