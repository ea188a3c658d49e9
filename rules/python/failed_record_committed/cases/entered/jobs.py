import json
import logging

from clients import make_consumer


async def fetch(job):
    print(job)


async def run():
    async with make_consumer("jobs", group_id="fetcher") as consumer:
        async for message in consumer:
            try:
                await fetch(json.loads(message.value))
            except Exception:  # expect: failed-record-committed
                logging.exception("failed")
