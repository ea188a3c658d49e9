from confluent_kafka import Consumer

from manager import Manager
from store import save

consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "orders", "enable.auto.commit": False})
consumer.subscribe(["orders"])
manager = Manager()
try:
    while True:
        message = consumer.poll(1.0)
        if message is None:
            continue
        if message.error():
            raise SystemExit(1)
        manager.insert(message.value())
        save(message.value())
        consumer.commit(message, asynchronous=False)
finally:
    consumer.close()
