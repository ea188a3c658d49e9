from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.read.option("header", "true").csv("s3a://lake/orders.csv")
orders.selectExpr("CAST(id AS STRING) AS key", "to_json(struct(*)) AS value").write.format("kafka").option(
    "kafka.bootstrap.servers", "broker:9092"
).option("topic", "orders").save()
