def by_topic(batch, batch_id, folder):
    batch.persist()
    topics = [row.topic for row in batch.select("topic").distinct().collect()]
    for topic in topics:
        part = batch.filter(f"topic = '{topic}'")
        part.write.format("hudi").mode("append").save(f"{folder}/{topic}")
    batch.unpersist()


def of_table(table, batch_id):
    rows = table.filter("paid")
    print(batch_id, rows.count())
    rows.write.mode("append").parquet("s3://lake/paid")
