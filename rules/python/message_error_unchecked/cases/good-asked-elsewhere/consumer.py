from confluent_kafka import Consumer

from reading import Reader

consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "billing"})
consumer.subscribe(["orders"])
while True:
    record = consumer.poll(1.0)
    if record is None:
        continue
    print(Reader.read(record=record))
