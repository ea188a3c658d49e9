from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer


@asynccontextmanager
async def make_consumer(*topics, group_id):
    consumer = AIOKafkaConsumer(*topics, bootstrap_servers="broker:9092", group_id=group_id)
    await consumer.start()
    try:
        yield consumer
    finally:
        await consumer.stop()
