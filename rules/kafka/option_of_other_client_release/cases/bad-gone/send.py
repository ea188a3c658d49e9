from kafka import KafkaProducer

producer = KafkaProducer(
    bootstrap_servers="broker:9092",
    buffer_memory=33554432,  # expect: option-of-other-client-release
    retries=5,
)
producer.send("orders", b"1").get(timeout=30)
producer.close()
