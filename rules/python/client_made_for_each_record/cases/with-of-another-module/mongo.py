from pymongo import MongoClient


def reconnect():
    return MongoClient("mongodb://mongo:27017")


class Connection:
    def __enter__(self):
        self.client = MongoClient("mongodb://mongo:27017")  # expect: client-made-for-each-record
        return self

    def __exit__(self, *error):
        self.client.close()

    def put(self, document):
        self.client.shop.orders.insert_one(document)
