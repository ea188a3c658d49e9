from typing import Optional

from pyspark.sql import SparkSession

from app.config import Settings, get_settings

spark = SparkSession.builder.getOrCreate()


def orders(settings: Optional[Settings] = None):
    settings = settings or get_settings()
    stream = spark.readStream.table("orders")
    stream.writeStream.option("checkpointLocation", settings.orders_checkpoint).toTable("lake.orders")  # expect: streaming-checkpoint-on-local-path


def cards():
    settings = get_settings()
    stream = spark.readStream.table("cards")
    stream.writeStream.option("checkpointLocation", settings.cards_checkpoint).toTable("lake.cards")  # expect: streaming-checkpoint-on-local-path


def users(settings: Settings | None = None):
    if settings is None:
        settings = get_settings()
    stream = spark.readStream.table("users")
    stream.writeStream.option("checkpointLocation", settings.users_checkpoint).toTable("lake.users")  # expect: streaming-checkpoint-on-local-path


class Shops:
    def __init__(self, settings: "Settings"):
        self.settings = settings

    def run(self):
        stream = spark.readStream.table("shops")
        stream.writeStream.option("checkpointLocation", self.settings.shops_checkpoint).toTable("lake.shops")  # expect: streaming-checkpoint-on-local-path


def goods():
    stream = spark.readStream.table("goods")
    stream.writeStream.option("checkpointLocation", get_settings().goods_checkpoint).toTable("lake.goods")


orders()
cards()
users()
Shops(get_settings()).run()
goods()
spark.streams.awaitAnyTermination()
