from orders.consumers import made_consumer


class Reader:
    def __init__(self):
        self.consumer = made_consumer("orders", {})  # expect: consumer-not-closed

    def run(self, handle):
        while True:
            message = self.consumer.poll(1.0)
            if message is not None and not message.error():
                handle(message.value())
