from kafka import KafkaProducer


class Queue:
    def __init__(self, topic, producer):
        self.topic = topic
        self.sender = producer

    @property
    def producer(self) -> KafkaProducer:
        return self.sender

    def push(self, order):
        self.sender.produce(self.topic, order)
        self.sender.poll(0)
