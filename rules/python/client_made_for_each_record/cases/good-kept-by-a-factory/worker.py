from events.factory import create_producer
from kafka import KafkaConsumer


def publish(score):
    producer = create_producer("scores")
    producer.send("scores", score)
    producer.close()


def run():
    consumer = KafkaConsumer("readings", bootstrap_servers="broker:9092", group_id="scores")
    for reading in consumer:
        if reading.value:
            publish(reading.value[::-1])


run()
