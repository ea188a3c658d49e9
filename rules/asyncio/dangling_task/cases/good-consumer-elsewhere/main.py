import asyncio
from contextlib import asynccontextmanager

from fastapi import FastAPI
from worker import patient, run


def over(task):
    if not task.cancelled() and task.exception():
        raise SystemExit(1)


@asynccontextmanager
async def lifespan(app: FastAPI):
    task = asyncio.create_task(patient(app.state.store))
    watched = asyncio.create_task(run(app.state.store))
    watched.add_done_callback(over)
    yield
    task.cancel()
    watched.cancel()


async def main(store, stop):
    task = asyncio.create_task(run(store))
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
