from pyspark.sql import DataFrame


def write(rows: DataFrame, table: str) -> None:
    rows.write.format("jdbc").option("url", "jdbc:postgresql://db/shop").option("dbtable", table).mode("append").save()  # expect: foreach-batch-not-idempotent


class Store:
    def __init__(self, url: str) -> None:
        self.url = url

    def write(self, rows: DataFrame, table: str) -> None:
        if table == "orders":
            rows.write.format("jdbc").option("url", self.url).option("dbtable", table).mode("append").save()  # expect: foreach-batch-not-idempotent
