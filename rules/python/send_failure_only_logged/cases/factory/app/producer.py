import logging

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError


class EventProducer:
    def __init__(self):
        self.producer = None

    async def start(self, servers):
        self.producer = AIOKafkaProducer(bootstrap_servers=servers)
        await self.producer.start()

    async def publish(self, topic, event) -> bool:
        if self.producer is None:
            return False
        try:
            await self.producer.send_and_wait(topic, event)
            return True
        except KafkaError as error:
            logging.error("not sent to %s: %s", topic, error)
            return False


_producer = None


def get_producer() -> EventProducer:
    global _producer
    if _producer is None:
        _producer = EventProducer()
    return _producer
