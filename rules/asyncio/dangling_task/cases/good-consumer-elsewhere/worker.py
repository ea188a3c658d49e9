import asyncio
import json
import logging

from aiokafka import AIOKafkaConsumer


async def patient(store):
    while True:
        consumer = AIOKafkaConsumer("events", bootstrap_servers="broker:9092", group_id="store")
        try:
            await consumer.start()
            async for record in consumer:
                await store.save(json.loads(record.value))
        except Exception:
            logging.exception("begins again")
        finally:
            await consumer.stop()
        await asyncio.sleep(5)


async def run(store):
    consumer = AIOKafkaConsumer("events", bootstrap_servers="broker:9092", group_id="store")
    await consumer.start()
    async for record in consumer:
        await store.save(json.loads(record.value))
