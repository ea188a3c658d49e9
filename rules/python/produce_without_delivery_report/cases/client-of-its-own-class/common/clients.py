from kafka import KafkaProducer


class ReadingsProducer(KafkaProducer):
    def __init__(self, **config):
        KafkaProducer.__init__(self, bootstrap_servers=["broker:9092"], **config)
