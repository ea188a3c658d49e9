from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092", retries=5)
producer.send("orders", b"one")
producer.flush()
