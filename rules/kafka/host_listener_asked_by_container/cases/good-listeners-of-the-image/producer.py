from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": "kafka:9092"})
producer.produce("orders", b"1", on_delivery=print)
producer.flush()
