from kafka import KafkaProducer

from settings import BROKERS


def create_producer(client_id):
    options = {"bootstrap_servers": BROKERS, "client_id": client_id, "acks": "all"}
    try:
        return KafkaProducer(**options)
    except ValueError as error:
        raise RuntimeError("not configured") from error
