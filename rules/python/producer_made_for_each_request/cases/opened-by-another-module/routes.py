from fastapi import APIRouter, Depends

from bus import Bus, EventProducer

router = APIRouter()
shared = Bus("kafka.audit")


@router.on_event("startup")
async def start():
    await shared.connect()


@router.post("/orders")
async def order(body: bytes):
    producer = Bus(topic="orders")  # expect: producer-made-for-each-request
    await producer.connect()
    await producer.send(body)
    await shared.send(body)


@router.post("/events")
def event(body: bytes, producer: EventProducer = Depends(EventProducer)):  # expect: producer-made-for-each-request
    producer.send(body)
