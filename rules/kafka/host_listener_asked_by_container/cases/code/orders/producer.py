from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker-1:29092", retries=5)  # expect: host-listener-asked-by-container
producer.send("orders", b"1").get(timeout=10)
producer.close()
