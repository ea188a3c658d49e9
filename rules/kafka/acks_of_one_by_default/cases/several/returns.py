from aiokafka import AIOKafkaProducer


async def publish(record):
    producer = AIOKafkaProducer(bootstrap_servers="broker:9092")
    await producer.start()
    try:
        await producer.send_and_wait("returns", record)
    finally:
        await producer.stop()
