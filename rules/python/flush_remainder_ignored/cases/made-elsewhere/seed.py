from clients import make_producer, publish


def seed(settings, names):
    producer = make_producer(settings)
    for name in names:
        publish(producer, "names", {"name": name})
    producer.flush(timeout=30)  # expect: flush-remainder-ignored
