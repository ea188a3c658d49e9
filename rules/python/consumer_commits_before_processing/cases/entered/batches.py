import asyncio
import json

from clients import make_consumer


async def run(store, stop):
    batch = []
    async with make_consumer("mentions", group_id="store") as consumer:
        while not stop.is_set():
            try:
                message = await asyncio.wait_for(consumer.getone(), timeout=5)
                batch.append(json.loads(message.value))  # expect: consumer-commits-before-processing
            except asyncio.TimeoutError:
                pass
            if len(batch) >= 50:
                await store.save(batch)
                batch = []
