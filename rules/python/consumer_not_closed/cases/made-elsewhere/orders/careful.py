from orders.consumers import subscribed


def run(handle):
    consumer = subscribed("orders", {})
    try:
        while True:
            message = consumer.poll(1.0)
            if message is not None and not message.error():
                handle(message.value())
    finally:
        consumer.close()
