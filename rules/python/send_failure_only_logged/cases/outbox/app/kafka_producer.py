import json
import logging

from confluent_kafka import Producer


def get_producer():
    return Producer({"bootstrap.servers": "broker:9092"})


def publish_event(event):
    producer = get_producer()
    try:
        producer.produce("events", value=json.dumps(event))
        producer.flush()
    except Exception:
        logging.exception("not published")
