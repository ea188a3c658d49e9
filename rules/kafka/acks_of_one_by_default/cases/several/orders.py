from aiokafka import AIOKafkaProducer


async def publish(record):
    producer = AIOKafkaProducer(bootstrap_servers="broker:9092")  # expect: acks-of-one-by-default
    await producer.start()
    try:
        await producer.send_and_wait("orders", record)
    finally:
        await producer.stop()
