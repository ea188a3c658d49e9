from confluent_kafka import Producer


def producer():
    return Producer({"bootstrap.servers": "localhost:9092"})  # expect: client-in-container-told-localhost
