from dataclasses import dataclass


@dataclass
class Kafka:
    brokers: str = "broker:9092"
    topic: str = "copies"

    def options(self):
        return {"kafka.bootstrap.servers": self.brokers, "topic": self.topic}
