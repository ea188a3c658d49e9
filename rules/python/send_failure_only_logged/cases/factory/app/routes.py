from fastapi import APIRouter

from app.producer import get_producer

router = APIRouter()


@router.post("/friends")
async def befriend(request: dict):
    producer = get_producer()
    await producer.publish("friends", request)  # expect: send-failure-only-logged
    await producer.publish("audit", request)
    return {"sent": True}


@router.post("/messages")
async def send(request: dict):
    producer = get_producer()
    sent = await producer.publish("messages", request)
    return {"sent": sent}
