import asyncio

from workers import save_kafka_events


async def main(store, events):
    task = asyncio.create_task(save_kafka_events(store, events))
    await task
