import logging


def make_writer(table):
    def write(batch, batch_id):
        try:
            batch.write.mode("append").saveAsTable(table)
        except Exception:  # expect: foreach-batch-swallows-errors
            logging.exception("batch %s", batch_id)

    def tell(batch, batch_id):
        try:
            batch.write.mode("append").saveAsTable("log")
        except Exception:
            logging.exception("batch %s", batch_id)

    write.tell = tell
    return write


class Stored:
    def __init__(self, table):
        self.table = table

    def __call__(self, batch, batch_id):
        try:
            batch.write.mode("append").saveAsTable(self.table)
        except Exception:  # expect: foreach-batch-swallows-errors
            logging.exception("batch %s", batch_id)
