from confluent_kafka import Consumer

from store import Orders, cached, early, keyless, lazy

consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "orders", "enable.auto.commit": False})
consumer.subscribe(["orders"])
orders = Orders()
try:
    while True:
        message = consumer.poll(1.0)
        if message is None:
            continue
        if message.error():
            raise SystemExit(1)
        cached()
        early()
        lazy()
        orders.put(message.value())
        if message.key() is None:
            keyless()
        consumer.commit(message, asynchronous=False)
finally:
    consumer.close()
