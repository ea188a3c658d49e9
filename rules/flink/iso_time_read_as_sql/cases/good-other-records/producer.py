import json
from datetime import datetime, timezone

from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092", value_serializer=lambda row: json.dumps(row).encode())


def order(number):
    return {"id": str(number), "total": 1.5, "at": datetime.now(timezone.utc).isoformat()}


producer.send("orders", order(1)).get(10)
