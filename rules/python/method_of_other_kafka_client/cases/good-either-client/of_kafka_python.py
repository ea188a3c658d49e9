from kafka import KafkaProducer

from orders.queue import Queue

producer = KafkaProducer(bootstrap_servers="broker:9092", retries=5)
Queue(topic="orders", producer=producer).push(b"1")
producer.close()
