from pyspark import pipelines as dp


@dp.table
def orders():
    return spark.readStream.table("raw_orders")


dp.create_streaming_table("customers")
dp.create_auto_cdc_from_snapshot_flow("customers", "raw_customers", keys=["id"], stored_as_scd_type=1)
