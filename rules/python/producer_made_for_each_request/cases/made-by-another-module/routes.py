from fastapi import APIRouter

from events import EventProducer

router = APIRouter()


@router.post("/events")
def create(event: bytes):
    producer = EventProducer()  # expect: producer-made-for-each-request
    producer.send_event(event)
