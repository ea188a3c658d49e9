from orders.broker import broker


@broker.subscriber("orders")  # expect: subscriber-without-group
async def handle(order: dict, store):
    await store.save(order)


@broker.subscriber("bills", group_id="bills")
async def bill(order: dict, store):
    await store.save(order)
