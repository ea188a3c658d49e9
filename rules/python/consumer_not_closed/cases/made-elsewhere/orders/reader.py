from orders.consumers import subscribed


class Reader:
    def __init__(self):
        self.consumer = subscribed("orders", {})  # expect: consumer-not-closed

    def run(self, handle):
        while True:
            message = self.consumer.poll(1.0)
            if message is not None and not message.error():
                handle(message.value())
