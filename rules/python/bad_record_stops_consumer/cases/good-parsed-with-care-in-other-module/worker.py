import logging

from confluent_kafka import Consumer
from messages import order_of, line_of

consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "orders", "enable.auto.commit": False})
consumer.subscribe(["orders"])
try:
    while True:
        msg = consumer.poll(1.0)
        if msg is None:
            continue
        if msg.error():
            logging.error("%s", msg.error())
            continue
        print(order_of(msg))
        try:
            print(line_of(msg.value()))
        except ValueError:
            print("skipped", msg.offset())
        consumer.commit(msg, asynchronous=False)
finally:
    consumer.close()
