import time

from source import fetch
from outbox import KafkaOutboxProducer


def run():
    producer = KafkaOutboxProducer("broker:9092")
    while True:
        for road in ("ring", "harbour"):
            producer.put(fetch(road))
        time.sleep(60)


if __name__ == "__main__":
    run()
