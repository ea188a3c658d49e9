from contextlib import asynccontextmanager

from fastapi import FastAPI

from events.kafka import Publisher, publish_event, shutdown_kafka

publisher = Publisher()


@asynccontextmanager
async def lifespan(app):
    yield
    shutdown_kafka()


app = FastAPI(lifespan=lifespan)


@app.get("/movies/{movie}")
async def movie(movie: int):
    publish_event({"visited": movie})
    publisher.publish_later(b"visited")
    return movie


@app.post("/movies")
async def add(movie: dict):
    publisher.publish(str(movie))
