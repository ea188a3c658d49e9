import functools

import psycopg2

_connection = None


@functools.lru_cache
def cached():
    return psycopg2.connect("dbname=shop")


def early():
    global _connection
    if _connection is not None:
        return _connection
    _connection = psycopg2.connect("dbname=shop")
    return _connection


def lazy():
    global _connection
    _connection = _connection or psycopg2.connect("dbname=shop")


def keyless():
    psycopg2.connect("dbname=shop")


def several(batch):
    psycopg2.connect("dbname=shop")


class Orders:
    def __init__(self):
        self.connection = psycopg2.connect("dbname=shop")

    def put(self, value):
        if self.connection.closed:
            self.connect()
        self.connection.cursor().execute("INSERT INTO orders VALUES (%s) ON CONFLICT DO NOTHING", (value,))

    def connect(self):
        self.connection = psycopg2.connect("dbname=shop")
