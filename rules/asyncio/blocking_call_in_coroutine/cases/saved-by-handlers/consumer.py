import json

from aiokafka import AIOKafkaConsumer

from handlers import Handler


class Orders:
    def __init__(self, handler: Handler):
        self.handler = handler

    async def run(self):
        consumer = AIOKafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="store")
        await consumer.start()
        async for record in consumer:
            await self.handler.handle(json.loads(record.value))
