from mongo import Connection, reconnect


class Manager:
    def insert(self, document):
        if document is None:
            reconnect()
        with Connection() as connection:
            connection.put(document)
