import logging

from clients import producer
from kafka import KafkaConsumer

BROKERS = ["127.0.0.1:9092", "localhost:9093"]

consumer = KafkaConsumer("orders", bootstrap_servers=BROKERS, group_id="orders")  # expect: client-in-container-told-localhost
for record in consumer:
    logging.info("%s", record)
    producer().produce("copies", record.value, on_delivery=print)
