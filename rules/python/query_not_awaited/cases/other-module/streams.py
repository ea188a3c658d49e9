def copy(spark, name):
    rows = spark.readStream.format("delta").load(f"s3://lake/bronze/{name}")
    writer = rows.writeStream.format("delta").option("checkpointLocation", f"s3://lake/chk/{name}")
    return writer.start(f"s3://lake/silver/{name}")
