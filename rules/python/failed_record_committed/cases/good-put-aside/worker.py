import json

from clients import consumer
from tasks import delete, put_aside


def consume():
    consumer.subscribe(["deletions"])
    try:
        while True:
            message = consumer.poll(timeout=1.0)
            if message is None or message.error():
                continue
            try:
                delete(json.loads(message.value()))
            except Exception as error:
                put_aside(message, error)
    finally:
        consumer.close()


def one_by_one():
    while True:
        message = consumer.poll(timeout=1.0)
        if message is None or message.error():
            continue
        try:
            delete(json.loads(message.value()))
        except Exception:
            print("not deleted")
            raise
