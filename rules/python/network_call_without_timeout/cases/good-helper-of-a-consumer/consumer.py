from confluent_kafka import Consumer

from scoring import connect, score

consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": "scores"})
consumer.subscribe(["orders"])
session = connect()


def handle(message):
    print(score(session, message.value()))


while True:
    message = consumer.poll(1.0)
    if message is None or message.error():
        continue
    handle(message)
