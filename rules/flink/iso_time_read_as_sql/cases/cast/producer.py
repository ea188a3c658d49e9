import json
from datetime import datetime, timezone

from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092", value_serializer=lambda row: json.dumps(row).encode())


def order(number):
    now = datetime.now(timezone.utc)
    paid = now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {
        "id": str(number),
        "amount": 1.5,
        "at": now.isoformat(timespec="milliseconds").replace("+00:00", ""),
        "paid_at": paid,
        "note": "",
    }


producer.send("orders", order(1)).get(10)
