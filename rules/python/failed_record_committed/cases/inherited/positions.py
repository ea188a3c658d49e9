import logging

from base_consumer import BaseConsumer
from store import keep


class PositionConsumer(BaseConsumer):
    def __init__(self, broker):
        super().__init__(broker, "positions", "positions")

    def consume(self):
        for message in self.consumer:
            try:
                keep(message.value)
            except Exception as error:  # expect: failed-record-committed
                logging.error("not kept: %s", error)
