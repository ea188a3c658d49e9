import json

from pyflink.common import Row


def parsed(text):
    return json.loads(text)  # expect: poison-record-restarts-for-ever
