from pyspark.sql import SparkSession
from streams import copy


def main():
    spark = SparkSession.builder.getOrCreate()
    query = copy(spark, "clicks")  # expect: query-not-awaited
    print(query.id)


if __name__ == "__main__":
    main()
