import asyncio
from contextlib import asynccontextmanager

from consumers import RawConsumer
from fastapi import FastAPI


@asynccontextmanager
async def lifespan(app: FastAPI):
    consumer = RawConsumer("events")
    task = asyncio.create_task(consumer.start())  # expect: dangling-task
    app.state.consumer = consumer
    app.state.task = task
    yield
    task.cancel()


app = FastAPI(lifespan=lifespan)
