from contextlib import asynccontextmanager

from fastapi import FastAPI

from app.consumer import consume


@asynccontextmanager
async def lifespan(app: FastAPI):
    await consume()  # expect: consumer-awaited-at-startup
    yield


app = FastAPI(lifespan=lifespan)
