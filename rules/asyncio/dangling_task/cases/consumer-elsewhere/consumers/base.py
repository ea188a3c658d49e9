from aiokafka import AIOKafkaConsumer


class Base:
    def __init__(self, topic):
        self.topic = topic
        self.consumer = None

    async def start(self):
        self.consumer = AIOKafkaConsumer(self.topic, bootstrap_servers="broker:9092", group_id="raw")
        await self.consumer.start()
        try:
            async for record in self.consumer:
                await self.handle(record)
        finally:
            await self.consumer.stop()
