import json

from kafka import KafkaConsumer
from tables import write_orders

consumer = KafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="orders")
for message in consumer:
    orders = json.loads(message.value)["orders"]
    write_orders(orders)  # expect: failed-record-committed
