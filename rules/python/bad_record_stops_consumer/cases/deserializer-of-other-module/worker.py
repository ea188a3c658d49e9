from codec import decoded
from kafka import KafkaConsumer

consumer = KafkaConsumer(
    "orders",
    bootstrap_servers="broker:9092",
    group_id="orders",
    value_deserializer=decoded,  # expect: bad-record-stops-consumer
)
for record in consumer:
    print(record.value)
