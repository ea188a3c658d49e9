from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092", acks="all", retries=10)
producer.send("orders", b"1").get(timeout=10)
producer.close()
