import json

LIMITS = json.loads('{"longest": 10}')


def order_of(msg):
    try:
        return json.loads(msg.value())
    except ValueError:
        return None


def line_of(value):
    return json.loads(value)
