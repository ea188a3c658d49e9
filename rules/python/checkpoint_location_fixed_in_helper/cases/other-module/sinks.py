def write(rows, target, checkpoint="s3://lake/chk"):
    return rows.writeStream.format("delta").option("checkpointLocation", checkpoint).start(target)
