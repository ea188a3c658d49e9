import asyncio

from aiokafka import AIOKafkaConsumer

from repository import Repository


async def run(dsn):
    repository = Repository(dsn)
    consumer = AIOKafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="store")
    await consumer.start()
    async for record in consumer:
        await asyncio.to_thread(repository.save, record.value)


def by_hand(dsn, orders):
    for order in orders:
        Repository(dsn).save(order)
