from kafka import KafkaProducer

from settings import BROKERS

_producers = {}


def create_producer(client_id):
    if client_id not in _producers:
        producer = KafkaProducer(bootstrap_servers=BROKERS, client_id=client_id)
        _producers[client_id] = producer
    else:
        producer = _producers[client_id]
    return producer
