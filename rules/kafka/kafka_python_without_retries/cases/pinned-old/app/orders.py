from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092", acks="all")  # expect: kafka-python-without-retries
producer.send("orders", b"1").get(timeout=10)
producer.close()
