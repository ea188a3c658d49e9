def insert(connection, reading):
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO readings (id, value) VALUES (%s, %s) ON CONFLICT DO NOTHING", (reading["id"], reading["value"]))
    connection.commit()
