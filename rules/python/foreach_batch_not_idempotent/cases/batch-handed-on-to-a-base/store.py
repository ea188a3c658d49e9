class Store:
    def __init__(self, spark):
        self.spark = spark

    def append(self, rows, path):
        rows.write.format("delta").mode("append").save(path)  # expect: foreach-batch-not-idempotent
