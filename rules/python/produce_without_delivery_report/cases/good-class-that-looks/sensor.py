from common.clients import ReadingsProducer

producer = ReadingsProducer(bootstrap_servers="broker:9092")


def publish(reading):
    producer.send("readings", reading)
