import faust

app = faust.App("orders", broker="kafka://broker:9092")  # expect: group-of-two-programs
full = app.topic("orders-full")


@app.agent(full)
async def rate(records):
    async for record in records:
        print(record)
