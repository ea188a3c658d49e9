import apache_beam as beam
from aiokafka import AIOKafkaConsumer
from apache_beam.io.kafka import ReadFromKafka
from confluent_kafka import Consumer
from kafka import KafkaConsumer

GROUP = "alerts"


def polled():
    consumer = KafkaConsumer("payments", bootstrap_servers="broker:9092", group_id=GROUP)  # expect: reads-uncommitted-transactions
    for message in consumer:
        print(message.value)
    consumer.close()


def committed():
    consumer = KafkaConsumer(bootstrap_servers="broker:9092", group_id=GROUP, isolation_level="read_committed")
    consumer.subscribe(["payments"])
    for message in consumer:
        print(message.value)
    consumer.close()


async def awaited():
    consumer = AIOKafkaConsumer(bootstrap_servers="broker:9092", group_id=GROUP)
    consumer.subscribe(["visits", "payments"])  # expect: reads-uncommitted-transactions
    async with consumer:
        async for message in consumer:
            print(message.value)


def by_librdkafka():
    consumer = Consumer({"bootstrap.servers": "broker:9092", "group.id": GROUP})
    consumer.subscribe(["payments"])
    return consumer


def piped(pipeline):
    return pipeline | ReadFromKafka(
        consumer_config={"bootstrap.servers": "broker:9092", "group.id": GROUP, "enable.auto.commit": "false"},
        topics=["payments"],  # expect: reads-uncommitted-transactions
    ) | beam.Map(print)
