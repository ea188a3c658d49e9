from helper import Helper
from kafka import KafkaConsumer


class Reader(Helper):
    def connect(self):
        self._client = KafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="orders")

    def read(self, handle):
        for message in self._client:
            handle(message.value)
