from confluent_kafka import KafkaException


class Reader:
    @staticmethod
    def read(record):
        if record.error():
            raise KafkaException(record.error())
        return record.value()
