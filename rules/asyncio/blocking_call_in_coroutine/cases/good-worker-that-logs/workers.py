import logging


async def save_kafka_events(store, events):
    try:
        await store.write(events)
    except Exception:
        logging.exception("not saved")
