from pyspark import SparkContext
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils  # expect: pyspark-api-not-in-version

context = StreamingContext(SparkContext(appName="orders"), 5)
KafkaUtils.createDirectStream(context, ["orders"], {"metadata.broker.list": "broker:9092"}).pprint()
context.start()
context.awaitTermination()
