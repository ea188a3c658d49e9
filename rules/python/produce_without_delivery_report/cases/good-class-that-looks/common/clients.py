from kafka import KafkaProducer


class ReadingsProducer(KafkaProducer):
    def send(self, topic, value):
        return super().send(topic, value).get(timeout=10)
