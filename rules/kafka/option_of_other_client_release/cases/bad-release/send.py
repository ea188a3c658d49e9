from kafka import KafkaProducer

producer = KafkaProducer(
    bootstrap_servers="broker:9092",
    acks="all",
    transactional_id="orders",  # expect: option-of-other-client-release
)
