import json

from app.kafka_producer import publish_event


def publish_outbox(database, outbox):
    for row in outbox.unpublished(database):
        payload = json.loads(row.payload)
        publish_event(payload)
        outbox.mark_as_published(database, row)  # expect: send-failure-only-logged
