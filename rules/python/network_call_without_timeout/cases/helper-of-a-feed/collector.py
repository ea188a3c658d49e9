import time

from outbox import KafkaOutboxProducer
from source import fetch


def run():
    producer = KafkaOutboxProducer("broker:9092")
    try:
        while True:
            for road in ("ring", "harbour"):
                producer.send(fetch(road))
            time.sleep(60)
    finally:
        producer.flush()


if __name__ == "__main__":
    run()
