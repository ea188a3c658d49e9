from fastapi import FastAPI

from events.factory import create_producer

app = FastAPI()


@app.post("/orders")
def order(order: dict):
    producer = create_producer("orders")  # expect: producer-made-for-each-request
    producer.send("orders", order["id"].encode()).get(timeout=10)
    return order
