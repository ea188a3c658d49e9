from confluent_kafka import Consumer

consumer = Consumer(
    {
        "bootstrap.servers": "broker:9092",
        "group.id": "orders",
        "linger.ms": 20,  # expect: option-of-other-kafka-role
    }
)
