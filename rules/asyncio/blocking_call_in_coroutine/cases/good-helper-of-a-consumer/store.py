import psycopg2

connection = psycopg2.connect("dbname=answers connect_timeout=3")


def save(question, answer):
    _write("INSERT INTO answers VALUES (%s, %s) ON CONFLICT DO NOTHING", (question, answer))


def _write(statement, values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
    connection.commit()


def count():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM answers")
        return cursor.fetchone()
