import faust

app = faust.App("orders-rate", broker="kafka://broker:9092")
full = app.topic("orders-full")


@app.agent(full)
async def rate(records):
    async for record in records:
        print(record)
