import json


def order_of(msg):
    value = msg.value()
    return _fields(value.decode("utf-8"))


def _fields(text):
    return json.loads(text)
