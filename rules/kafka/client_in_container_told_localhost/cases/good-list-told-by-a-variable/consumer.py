import os

from kafka import KafkaConsumer

BROKER = os.getenv("BROKERS", "localhost:9092")

consumer = KafkaConsumer("orders", bootstrap_servers=[BROKER], group_id="totals")
for record in consumer:
    print(record.value)
