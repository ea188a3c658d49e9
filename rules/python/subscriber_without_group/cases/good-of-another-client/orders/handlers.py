from orders.broker import broker, rabbit_broker


@broker.subscriber("orders")
async def handle(order: dict, store):
    await store.save(order)


@rabbit_broker.subscriber("bills")
async def bill(order: dict, store):
    await store.save(order)
