from pyspark.sql import SparkSession
from steps import split


def halves(df):
    return df.filter("a > 1"), df.filter("a < 1")


def save(batch, batch_id):
    good = split(batch)[0]
    good.write.format("jdbc").mode("append").save()  # expect: foreach-batch-not-idempotent


def save_bad(batch, batch_id):
    good, bad = split(batch)
    bad.write.format("jdbc").mode("append").save()  # expect: foreach-batch-not-idempotent


def save_half(batch, batch_id):
    half = halves(batch)[1]
    half.write.format("jdbc").mode("append").save()  # expect: foreach-batch-not-idempotent


spark = SparkSession.builder.getOrCreate()
rows = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "b:9092").option("subscribe", "a").load()
rows.writeStream.foreachBatch(save).option("checkpointLocation", "s3a://c/1").start()
rows.writeStream.foreachBatch(save_bad).option("checkpointLocation", "s3a://c/2").start()
rows.writeStream.foreachBatch(save_half).option("checkpointLocation", "s3a://c/3").start()
spark.streams.awaitAnyTermination()
