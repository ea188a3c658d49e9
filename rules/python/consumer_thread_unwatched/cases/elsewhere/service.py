import logging
import threading

import kafka_client
import uvicorn


def translate(job):
    print(job["text"])


def worker():
    for job in kafka_client.consume("jobs", group="translator"):
        try:
            translate(job)
        except Exception:
            logging.exception("failed")


if __name__ == "__main__":
    thread = threading.Thread(target=worker, daemon=True)  # expect: consumer-thread-unwatched
    thread.start()
    uvicorn.run("service:app", host="0.0.0.0", port=8000)
