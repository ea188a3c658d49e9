from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext

decode = AvroDeserializer(SchemaRegistryClient({"url": "http://registry:8081"}))


class Reader:
    @staticmethod
    def read(record):
        return decode(record.value(), SerializationContext(record.topic(), MessageField.VALUE))
