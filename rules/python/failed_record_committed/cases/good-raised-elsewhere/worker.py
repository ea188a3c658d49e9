import json

from kafka import KafkaConsumer
from tables import note_start, write_orders

consumer = KafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="orders")
for message in consumer:
    note_start("orders")
    orders = json.loads(message.value)["orders"]
    write_orders(orders)
