from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092", buffer_memory=33554432, sock_chunk_bytes=4096, retries=5, acks="all")
producer.send("orders", b"1").get(timeout=30)
producer.close()
