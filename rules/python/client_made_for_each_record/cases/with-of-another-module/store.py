import psycopg2


def save(value):
    connection = psycopg2.connect("dbname=shop")  # expect: client-made-for-each-record
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO orders VALUES (%s) ON CONFLICT DO NOTHING", (value,))
    connection.commit()
