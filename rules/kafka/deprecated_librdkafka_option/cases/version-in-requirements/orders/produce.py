from confluent_kafka import Producer

from orders.settings import SERVERS

producer = Producer(
    {
        "bootstrap.servers": SERVERS,
        "produce.offset.report": True,  # expect: deprecated-librdkafka-option
    }
)
