from pyspark.sql import SparkSession
from streams import copy, until_stopped


def main():
    spark = SparkSession.builder.getOrCreate()
    query = copy(spark, "clicks")
    until_stopped(query)


if __name__ == "__main__":
    main()
