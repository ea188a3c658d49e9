from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": "broker:9092", "acks": "all", "linger.ms": 20})
