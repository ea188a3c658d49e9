from cassandra.cluster import Session


class OutboxRepository:
    def __init__(self, session: Session):
        self.session = session

    def pending(self, limit):
        return list(self.session.execute("SELECT topic, payload FROM outbox LIMIT %s", (limit,)))  # expect: blocking-call-in-coroutine
