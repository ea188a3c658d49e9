from pyspark.sql import DataFrame


def write_delta(df: DataFrame, path: str, checkpoint: str):
    return df.writeStream.format("delta").option("checkpointLocation", checkpoint).start(path)  # expect: streaming-checkpoint-on-local-path


def write_files(df: DataFrame, path: str, checkpoint: str):
    return df.writeStream.format("parquet").option("checkpointLocation", checkpoint).start(path)


class TableWriter:
    def __init__(self, checkpoint: str):
        self.checkpoint = checkpoint

    def write(self, df, table):
        return df.writeStream.option("checkpointLocation", self.checkpoint).toTable(table)  # expect: streaming-checkpoint-on-local-path
