from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="kafka:9092", retries=5)
producer.send("orders", b"1").get(timeout=10)
producer.close()
