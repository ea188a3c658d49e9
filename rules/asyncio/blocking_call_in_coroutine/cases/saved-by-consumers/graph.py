from neo4j import GraphDatabase


class Graph:
    def __init__(self, uri):
        self._driver = GraphDatabase.driver(uri)

    def add(self, order):
        with self._driver.session() as session:
            session.run("MERGE (:Order {id: $id})", id=order)  # expect: blocking-call-in-coroutine

    def setup_schema(self):
        with self._driver.session() as session:
            session.run("CREATE CONSTRAINT IF NOT EXISTS FOR (o:Order) REQUIRE o.id IS UNIQUE")
