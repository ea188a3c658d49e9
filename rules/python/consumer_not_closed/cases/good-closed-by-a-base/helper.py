class Helper:
    def __init__(self):
        self._client = None

    def close(self):
        if self._client is not None:
            self._client.close()
