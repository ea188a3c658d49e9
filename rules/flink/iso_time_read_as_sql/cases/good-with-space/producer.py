import json
from datetime import datetime, timezone

from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers="broker:9092", value_serializer=lambda row: json.dumps(row).encode())


def order(number):
    now = datetime.now(timezone.utc)
    return {
        "id": str(number),
        "amount": 1.5,
        "at": now.isoformat(sep=" ", timespec="milliseconds"),
        "paid_at": now.isoformat().replace("T", " "),
        "day": now.date().isoformat(),
    }


producer.send("orders", order(1)).get(10)
