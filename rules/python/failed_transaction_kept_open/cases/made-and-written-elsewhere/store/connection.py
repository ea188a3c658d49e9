import psycopg2


def connect(settings):
    return psycopg2.connect(host=settings["host"], dbname=settings["database"])
