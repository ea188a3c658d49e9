from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": "broker:9092"})
producer.produce("orders", b"1")
producer.close()
