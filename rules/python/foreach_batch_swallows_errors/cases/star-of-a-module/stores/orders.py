import mysql.connector


def write_with(frame, insert):
    connection = mysql.connector.connect(host="mysql", database="orders")
    cursor = connection.cursor()
    try:
        insert(frame, cursor)
        connection.commit()
    except Exception as error:  # expect: foreach-batch-swallows-errors
        print(error)
        connection.rollback()
    finally:
        connection.close()


def insert_orders(frame, cursor):
    for row in frame.collect():
        cursor.execute("REPLACE INTO orders VALUES (%s, %s)", (row.id, row.price))


def store_orders(frame, epoch):
    write_with(frame, insert_orders)
    print("batch", epoch)
