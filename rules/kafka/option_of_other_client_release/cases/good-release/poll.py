from aiokafka import AIOKafkaConsumer


async def main():
    consumer = AIOKafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="orders", group_instance_id="orders-1")
    await consumer.start()
