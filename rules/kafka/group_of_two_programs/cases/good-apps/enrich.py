import faust

app = faust.App("orders-enrich", broker="kafka://broker:9092")
raw = app.topic("orders-raw")


@app.agent(raw)
async def enrich(records):
    async for record in records:
        print(record)
