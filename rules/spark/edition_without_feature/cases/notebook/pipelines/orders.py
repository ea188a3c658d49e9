import dlt


@dlt.table
@dlt.expect_or_drop("known", "id IS NOT NULL")
def orders():
    return spark.readStream.table("raw_orders")
