from aiokafka import AIOKafkaConsumer


async def consume():
    consumer = AIOKafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="orders")
    await consumer.start()
    try:
        while True:
            for tp, msgs in (await consumer.getmany(timeout_ms=1000)).items():
                print(msgs)
    finally:
        await consumer.stop()
