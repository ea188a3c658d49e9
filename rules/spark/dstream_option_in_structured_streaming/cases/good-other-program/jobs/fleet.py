from pyspark import SparkContext
from pyspark.streaming import StreamingContext

context = StreamingContext(SparkContext(), 10)
context.textFileStream("s3://fleet/in").pprint()
context.start()
context.awaitTermination()
