from common.writers import TableWriter, write_delta, write_files
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.table("orders")
write_delta(orders, "s3a://lake/orders", "/tmp/checkpoints/orders")
write_files(orders, "s3a://lake/files", checkpoint="s3a://state/files")
TableWriter("/tmp/checkpoints/table").write(orders, "lake.orders")
spark.streams.awaitAnyTermination()
