import asyncio

from aiokafka import AIOKafkaConsumer

from answers import answer
from store import save


async def consume():
    consumer = AIOKafkaConsumer("questions", bootstrap_servers="broker:9092", group_id="answers")
    await consumer.start()
    try:
        async for record in consumer:
            save(record.value, await answer(record.value))
    finally:
        await consumer.stop()


asyncio.run(consume())
