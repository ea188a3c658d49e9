import json


def decoded(raw):
    return json.loads(raw)
