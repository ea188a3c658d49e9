import redis


class History:
    def __init__(self, settings):
        self._redis = redis.Redis(host=settings["host"], socket_timeout=5)

    def add(self, card, amount):
        pipe = self._redis.pipeline()
        pipe.lpush(f"history:{card}", amount)  # expect: foreach-batch-not-idempotent
        pipe.ltrim(f"history:{card}", 0, 99)
        pipe.execute()
