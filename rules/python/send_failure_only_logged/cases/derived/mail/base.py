import logging

from confluent_kafka import Producer


class BaseProducer:
    def __init__(self, servers):
        self._producer = Producer({"bootstrap.servers": servers})

    def _delivered(self, error, message):
        if error:
            logging.error("not delivered to %s: %s", message.topic(), error)

    def publish(self, topic, value):
        self._producer.produce(topic, value, on_delivery=self._delivered)
        self._producer.poll(0)

    def flush(self):
        self._producer.flush()
