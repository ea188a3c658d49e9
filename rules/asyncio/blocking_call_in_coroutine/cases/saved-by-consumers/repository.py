import psycopg2


class Repository:
    def __init__(self, dsn):
        self.connection = psycopg2.connect(dsn)

    def save(self, order):
        self._write(order)

    def _write(self, order):
        with self.connection.cursor() as cursor:
            cursor.execute("INSERT INTO orders VALUES (%s)", (order,))  # expect: blocking-call-in-coroutine
        self.connection.commit()

    def count(self):
        cursor = self.connection.cursor()
        cursor.execute("SELECT count(*) FROM orders")
        return cursor.fetchone()
