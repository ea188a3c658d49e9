from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

conf = SparkConf().setAppName("counts")
context = SparkContext("local[*]", "counts")  # expect: local-master-in-submitted-code
spark = SparkSession.builder.config(conf=conf).getOrCreate()
counts = spark.readStream.format("rate").load()
counts.writeStream.format("console").option("checkpointLocation", "s3a://jobs/counts").start().awaitTermination()
