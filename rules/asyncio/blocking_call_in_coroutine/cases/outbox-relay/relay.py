"""Sends what waits in the outbox to Kafka."""

import asyncio

from repository import OutboxRepository


class Relay:
    def __init__(self, session, producer):
        self.repository = OutboxRepository(session)
        self.producer = producer

    async def run(self):
        while True:
            for row in self.repository.pending(50):
                await self.producer.publish(row.topic, row.payload)
            await asyncio.sleep(1)
