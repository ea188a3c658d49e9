import redis
from pyflink.datastream import MapFunction


class Store(MapFunction):
    def __init__(self, host):
        self.host = host

    def open(self, runtime_context):
        self.client = redis.Redis(self.host, socket_timeout=5)

    def map(self, value):
        self.client.set(self.key(value), value[1])
        return value

    def close(self):
        self.client.close()
