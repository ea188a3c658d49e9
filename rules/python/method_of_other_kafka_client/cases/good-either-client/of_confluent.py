from confluent_kafka import Producer

from orders.queue import Queue

producer = Producer({"bootstrap.servers": "broker:9092"})
Queue(topic="orders", producer=producer).push(b"1")
producer.flush()
