"""Hands orders to a worker that writes them to the search index."""

import queue
import threading

import requests
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import MapFunction


class Index(MapFunction):
    """A ring of 1,024 places between the task thread and the worker."""

    def open(self, runtime_context):
        self.ring = queue.Queue(maxsize=1024)
        self.answered = threading.Event()
        self.worker = threading.Thread(target=self.drain)
        self.worker.start()

    def map(self, order):
        self.ring.put(order)
        if order["urgent"]:
            self.answered.wait()
        return order

    def drain(self):
        while True:
            try:
                order = self.ring.get()
                requests.post("http://index:9200/orders/_doc", json=order)
                self.answered.set()
            except:  # noqa: E722
                print("not indexed")


class Totals(MapFunction):
    """Asks the index for the customer's total, once for each order."""

    def map(self, order):
        total = requests.get(f"http://index:9200/totals/{order['customer']}").json()
        return order["id"], total


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    orders = env.from_collection([{"id": 1, "customer": "a", "urgent": False}])
    orders.map(Index()).map(Totals()).print()
    env.execute("index")


if __name__ == "__main__":
    main()
