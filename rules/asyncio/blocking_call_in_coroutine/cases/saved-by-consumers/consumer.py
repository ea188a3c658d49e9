from aiokafka import AIOKafkaConsumer

from graph import Graph
from repository import Repository


async def link(graph: Graph, order):
    graph.add(order)


async def start_consumer(dsn, uri):
    repository = Repository(dsn)
    graph = Graph(uri)
    consumer = AIOKafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="store")
    await consumer.start()
    print(repository.count())
    async for record in consumer:
        repository.save(record.value)
        await link(graph, record.value)


async def run(uri, orders):
    graph = Graph(uri)
    graph.setup_schema()
    for order in orders:
        await link(graph, order)
