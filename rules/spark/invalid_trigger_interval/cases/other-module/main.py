from pyspark.sql import SparkSession
from settings import Settings

settings = Settings()
spark = SparkSession.builder.getOrCreate()
orders = spark.readStream.table("orders").writeStream.option("checkpointLocation", "s3a://state/orders")
orders.trigger(processingTime=settings.interval).toTable("copies").awaitTermination()  # expect: invalid-trigger-interval
