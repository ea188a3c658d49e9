import psycopg2


def connect():
    return psycopg2.connect("dbname=readings connect_timeout=5")


def insert_reading(connection, reading):
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO readings (device, value) VALUES (%s, %s)", (reading["device"], reading["value"]))  # expect: consumed-rows-inserted-twice
    connection.commit()


def insert_device(connection, device):
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO devices (name) VALUES (%s)", (device,))
    connection.commit()
