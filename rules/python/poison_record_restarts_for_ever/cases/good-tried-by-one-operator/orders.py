import json

from pyflink.common import Row


def parsed(text):
    return json.loads(text)
