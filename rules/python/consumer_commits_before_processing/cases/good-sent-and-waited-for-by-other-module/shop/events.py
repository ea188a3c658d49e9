from confluent_kafka import Producer


def delivered(error, record):
    if error is not None:
        print(error)


class Events:
    def __init__(self, servers):
        self.producer = Producer({"bootstrap.servers": servers})

    def publish(self, topic, value):
        self.producer.produce(topic, value, on_delivery=delivered)
        self.producer.flush()
