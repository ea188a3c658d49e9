from confluent_kafka import Consumer

from store import several

consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "batches", "enable.auto.commit": False})
consumer.subscribe(["orders"])
try:
    while True:
        several(consumer.consume(100, timeout=1.0))
        consumer.commit(asynchronous=False)
finally:
    consumer.close()
