import psycopg2


class Repository:
    def __init__(self, dsn):
        self.connection = psycopg2.connect(dsn)

    def save(self, order):
        with self.connection.cursor() as cursor:
            cursor.execute("INSERT INTO orders VALUES (%s)", (order,))
        self.connection.commit()
