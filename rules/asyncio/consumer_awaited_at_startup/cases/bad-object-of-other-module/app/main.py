from fastapi import FastAPI

from app.kafka_consumer import orders

app = FastAPI()


@app.on_event("startup")
async def startup():
    await orders.run()  # expect: consumer-awaited-at-startup
