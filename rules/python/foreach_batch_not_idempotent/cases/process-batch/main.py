from pyspark.sql import DataFrame, SparkSession

from store.history import History


def writer(settings):
    history = History(settings)

    def process_batch(batch: DataFrame, batch_id: int) -> None:
        for row in batch.select("card", "amount").collect():
            history.add(row["card"], row["amount"])

    return process_batch


spark = SparkSession.builder.getOrCreate()
cards = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "b:9092").option("subscribe", "cards").load()
cards.writeStream.foreachBatch(writer({"host": "cache"})).option("checkpointLocation", "s3://lake/chk").start().awaitTermination()
