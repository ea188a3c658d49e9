from session import make

spark = make()
votes = (
    spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "kafka:9092")
    .option("subscribe", "votes")
    .load()
)
votes.writeStream.format("parquet").option("checkpointLocation", "s3a://lake/chk").start("s3a://lake/votes").awaitTermination()
