import json

from .base import Base


class RawConsumer(Base):
    async def handle(self, record):
        print(json.loads(record.value))
