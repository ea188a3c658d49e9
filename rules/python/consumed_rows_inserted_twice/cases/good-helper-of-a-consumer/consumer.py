import json

from kafka import KafkaConsumer
from store import connect, insert_reading

connection = connect()
consumer = KafkaConsumer("readings", bootstrap_servers="broker:9092", group_id="store", enable_auto_commit=False)
for record in consumer:
    insert_reading(connection, json.loads(record.value))
    consumer.commit()
