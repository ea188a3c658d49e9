import json

from clients import consumer
from tasks import delete


def consume():
    consumer.subscribe(["deletions"])
    try:
        while True:
            message = consumer.poll(timeout=1.0)
            if message is None:
                continue
            if message.error():
                print(message.error())
                continue
            try:
                delete(json.loads(message.value()))
            except Exception as error:  # expect: failed-record-committed
                print("not deleted:", error)
    finally:
        consumer.close()
