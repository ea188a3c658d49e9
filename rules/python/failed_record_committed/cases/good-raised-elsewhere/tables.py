import psycopg2

connection = psycopg2.connect("dbname=shop")


def write_orders(orders):
    try:
        connection.cursor().executemany("INSERT INTO orders VALUES (%s) ON CONFLICT DO NOTHING", orders)
        connection.commit()
    except Exception as error:
        connection.rollback()
        print("not written:", error)
        raise


def note_start(what):
    try:
        connection.cursor().execute("INSERT INTO starts VALUES (%s)", (what,))
    except Exception as error:
        print("not noted:", error)
