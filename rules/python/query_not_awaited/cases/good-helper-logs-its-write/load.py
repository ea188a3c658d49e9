from pyspark.sql import SparkSession

from lib.runs import log_run

spark = SparkSession.builder.appName("load").getOrCreate()
spark.read.table("staging.stops").write.mode("overwrite").saveAsTable("dw.stops")
log_run(spark, "dw.stops", "today")
