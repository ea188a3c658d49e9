from aiokafka import AIOKafkaProducer
from confluent_kafka import Producer


class Bus:
    def __init__(self, topic: str):
        self.topic = topic
        self.producer = None

    async def connect(self):
        self.producer = AIOKafkaProducer(bootstrap_servers="kafka:9092")
        await self.producer.start()

    async def send(self, event):
        await self.producer.send_and_wait(self.topic, event)


class EventProducer:
    def __init__(self):
        self._connect()

    def _connect(self):
        self.producer = Producer({"bootstrap.servers": "kafka:9092"})

    def send(self, event):
        self.producer.produce("events", event, on_delivery=print)
        self.producer.poll(0)
