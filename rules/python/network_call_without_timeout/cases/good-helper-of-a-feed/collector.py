import json
import time

from confluent_kafka import Producer
from source import fetch, login


def run():
    login()
    producer = Producer({"bootstrap.servers": "broker:9092"})
    while True:
        producer.produce("roads", json.dumps(fetch("ring")), on_delivery=print)
        producer.poll(0)
        time.sleep(60)


if __name__ == "__main__":
    run()
