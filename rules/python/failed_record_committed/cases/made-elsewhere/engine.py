import json
import logging

import transport


class Engine:
    def __init__(self):
        self.consumer = transport.init_consumer("orders", "engine")
        self.running = True

    def run(self):
        while self.running:
            message = self.consumer.poll(1.0)
            if message is None or message.error():
                continue
            try:
                self.handle(json.loads(message.value()))
            except Exception as error:
                logging.error("failed: %r", error)
            finally:
                self.consumer.commit()  # expect: failed-record-committed
