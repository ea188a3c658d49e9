import asyncio

from fastapi import BackgroundTasks, FastAPI

from events.kafka import publish_event

app = FastAPI()


@app.get("/movies/{movie}")
async def movie(movie: int, tasks: BackgroundTasks):
    await asyncio.to_thread(publish_event, {"visited": movie})
    await asyncio.get_running_loop().run_in_executor(None, publish_event, {"visited": movie})
    tasks.add_task(publish_event, {"visited": movie})
    return movie


@app.post("/movies")
def add(movie: dict):
    publish_event(movie)
