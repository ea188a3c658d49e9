from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def split(df: DataFrame) -> tuple[DataFrame, DataFrame]:
    good = df.filter(F.col("id").isNotNull())
    bad = df.filter(F.col("id").isNull())
    return good, bad
