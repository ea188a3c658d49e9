from confluent_kafka import Consumer
from shop.events import Events

consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "orders", "enable.auto.commit": False})
consumer.subscribe(["orders"])
events = Events("broker:9092")
while True:
    msg = consumer.poll(1.0)
    if msg is None or msg.error():
        continue
    events.publish("checked", msg.value())
    consumer.commit(msg, asynchronous=False)
