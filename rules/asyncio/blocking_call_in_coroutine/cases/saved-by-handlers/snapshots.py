from cassandra.cluster import Session
from cassandra.query import BatchStatement


class Snapshots:
    def __init__(self, session: Session):
        self.session = session

    def keep(self, order):
        batch = BatchStatement()
        batch.add("INSERT INTO orders (id) VALUES (%s)", (order["id"],))
        self.session.execute(batch)  # expect: blocking-call-in-coroutine
