def by_topic(batch, batch_id, folder):
    topics = [row.topic for row in batch.select("topic").distinct().collect()]
    for topic in topics:
        part = batch.filter(f"topic = '{topic}'")
        part.write.format("hudi").mode("append").save(f"{folder}/{topic}")  # expect: foreach-batch-recomputed
