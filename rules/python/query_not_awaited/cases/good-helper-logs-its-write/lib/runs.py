from pyspark.sql import SparkSession


def log_run(spark: SparkSession, table: str, day: str) -> bool:
    try:
        run = spark.createDataFrame([[table, day]], ["table", "day"])
        run.write.format("delta").mode("append").saveAsTable("ops.runs")
        return True
    except Exception as error:
        print(error)
        return False
