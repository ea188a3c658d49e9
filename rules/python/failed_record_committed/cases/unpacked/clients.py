from confluent_kafka import Consumer, Producer


def set_up_kafka(settings, with_producer=True):
    producer = None
    if with_producer:
        producer = Producer({"bootstrap.servers": settings["brokers"]})
    consumer = Consumer({"bootstrap.servers": settings["brokers"], "group.id": "baker", "enable.auto.commit": False})
    return settings, producer, consumer
