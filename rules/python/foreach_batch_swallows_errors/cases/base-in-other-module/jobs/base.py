from abc import ABC, abstractmethod

from pyspark.sql import DataFrame, SparkSession


class Job(ABC):
    def __init__(self, spark: SparkSession):
        self.spark = spark

    @abstractmethod
    def store(self, batch: DataFrame, batch_id: int) -> None: ...

    def run(self, table: str) -> None:
        query = self.spark.readStream.table(table).writeStream.foreachBatch(self.store)
        query.option("checkpointLocation", f"s3a://state/{table}").start().awaitTermination()
