from aiokafka import AIOKafkaConsumer


class Orders:
    def __init__(self, topic):
        self.topic = topic

    async def run(self):
        consumer = AIOKafkaConsumer(self.topic, bootstrap_servers="broker:9092", group_id="orders")
        await consumer.start()
        try:
            async for record in consumer:
                print(record.value)
        finally:
            await consumer.stop()


orders = Orders("orders")
