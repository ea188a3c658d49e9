from faststream.confluent import KafkaBroker
from faststream.rabbit import RabbitBroker

broker = KafkaBroker("broker:9092")
rabbit_broker = RabbitBroker()
