from confluent_kafka import Consumer, Producer


class Sender:
    def __init__(self):
        self.producer = Producer({"bootstrap.servers": "broker:9092"})

    def close(self):
        self.producer.flush(10)
        self.producer.close()  # expect: confluent-method-not-in-version


with Consumer({"bootstrap.servers": "broker:9092", "group.id": "orders"}) as consumer:  # expect: confluent-method-not-in-version
    consumer.subscribe(["orders"])
