from common.clients import ReadingsProducer

producer = ReadingsProducer(value_serializer=str.encode)


def publish(reading):
    producer.send("readings", reading)  # expect: produce-without-delivery-report
