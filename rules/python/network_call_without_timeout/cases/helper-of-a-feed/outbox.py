import json

from confluent_kafka import Producer


class KafkaOutboxProducer:
    def __init__(self, brokers):
        self.producer = Producer({"bootstrap.servers": brokers})

    def told(self, error, message):
        if error is not None:
            print(error)

    def send(self, row):
        self.producer.produce("roads", json.dumps(row), on_delivery=self.told)
        self.producer.poll(0)

    def flush(self):
        self.producer.flush()
