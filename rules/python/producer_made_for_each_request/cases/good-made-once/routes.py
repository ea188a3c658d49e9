from fastapi import APIRouter

from events import EventProducer

router = APIRouter()
producer = EventProducer()


@router.post("/events")
def create(event: bytes):
    producer.send_event(event)
