from kafka import KafkaProducer


class EventProducer:
    def __init__(self):
        self._client = KafkaProducer(bootstrap_servers="kafka:9092", retries=5)

    def send_event(self, event):
        self._client.send("events", event).get(timeout=10)
