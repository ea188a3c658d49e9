import json
import logging

from kafka import KafkaConsumer

from store.connection import connect
from store.readings import insert


def run(settings):
    consumer = KafkaConsumer("readings", bootstrap_servers=settings["brokers"], group_id="loader", enable_auto_commit=False)
    connection = connect(settings)
    for message in consumer:
        reading = json.loads(message.value)
        for attempt in range(3):
            try:
                insert(connection, reading)
                consumer.commit()
                break
            except Exception as error:  # expect: failed-transaction-kept-open
                logging.warning("attempt %s failed: %s", attempt, error)
