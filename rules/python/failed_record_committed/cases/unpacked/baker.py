import logging

from clients import set_up_kafka

_, PRODUCER, CONSUMER = set_up_kafka({"brokers": "broker:9092"}, with_producer=True)


def log_exception(text):
    logging.critical(text)


def baked(order):
    PRODUCER.produce("baked", key=order, value=b"{}", on_delivery=print)
    PRODUCER.flush()


def bake():
    CONSUMER.subscribe(["ordered"])
    while True:
        event = CONSUMER.poll(1)
        if event is not None:
            if event.error():
                logging.error(event.error())
            else:
                try:
                    baked(event.key())
                except Exception:
                    log_exception(f"not baked: {event.key()}")
            CONSUMER.commit(asynchronous=False)  # expect: failed-record-committed
