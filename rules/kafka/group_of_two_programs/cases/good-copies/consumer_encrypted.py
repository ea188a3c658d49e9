from kafka import KafkaConsumer

consumer = KafkaConsumer(
    "orders",
    bootstrap_servers="broker:9092",
    group_id="my-group",
    auto_offset_reset="earliest",
)
for record in consumer:
    print(record.value)
