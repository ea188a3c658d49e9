from orders.sources import read
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
rows = read(spark)
rows.writeStream.format("delta").option("checkpointLocation", "s3a://state/orders").start("s3a://lake/orders").awaitTermination()
