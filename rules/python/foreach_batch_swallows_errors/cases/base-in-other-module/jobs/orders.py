from jobs.timed import TimedJob
from pyspark.sql import DataFrame


class Orders(TimedJob):
    def store(self, batch: DataFrame, batch_id: int) -> None:
        try:
            batch.write.mode("overwrite").parquet(f"s3a://lake/orders/{batch_id}")
        except Exception as error:  # expect: foreach-batch-swallows-errors
            print("not stored", error)

    def keep(self, batch: DataFrame) -> None:
        try:
            batch.write.mode("overwrite").parquet("s3a://lake/last")
        except Exception as error:
            print("not kept", error)
