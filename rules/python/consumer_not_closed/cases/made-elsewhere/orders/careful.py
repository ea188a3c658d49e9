from orders.consumers import made_consumer


def run(handle):
    consumer = made_consumer("orders", {})
    try:
        while True:
            message = consumer.poll(1.0)
            if message is not None and not message.error():
                handle(message.value())
    finally:
        consumer.close()
