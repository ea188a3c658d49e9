from pyspark.sql import DataFrame

JDBC = "jdbc:postgresql://db/shop"


def write(rows: DataFrame, table: str) -> None:
    rows.write.format("jdbc").option("url", JDBC).option("dbtable", table).mode("append").save()


def write_known(rows: DataFrame, batch_id: int) -> None:
    rows.write.format("jdbc").option("url", JDBC).option("dbtable", f"orders_{batch_id}").mode("append").save()


def write_new(rows: DataFrame) -> None:
    rows.write.format("jdbc").option("url", JDBC).option("dbtable", "orders").mode("append").save()


def count(rows: DataFrame) -> None:
    rows.write.format("jdbc").option("url", JDBC).option("dbtable", "counts").mode("append").save()
