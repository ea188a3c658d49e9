from confluent_kafka import Consumer


class MessageConsumer:
    def __init__(self, servers):
        self.consumer = Consumer({"bootstrap.servers": servers, "group.id": "mails"})

    def start_consuming(self, topic, handle):
        self.consumer.subscribe([topic])
        try:
            while True:
                message = self.consumer.poll(1.0)
                if message is not None and message.error() is None:
                    handle(message.value().decode("utf-8"))
        finally:
            self.consumer.close()
