import json

from kafka import KafkaConsumer


class BaseConsumer:
    def __init__(self, broker, topic, group_id=None):
        self.topic = topic
        self.consumer = KafkaConsumer(
            topic, bootstrap_servers=broker, group_id=group_id, value_deserializer=lambda value: json.loads(value.decode("utf-8", "replace"))
        )
