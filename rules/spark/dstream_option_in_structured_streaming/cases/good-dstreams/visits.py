from pyspark import SparkContext
from pyspark.streaming import StreamingContext

ssc = StreamingContext(SparkContext(appName="visits"), 5)
ssc.textFileStream("hdfs:///visits").pprint()
ssc.start()
ssc.awaitTermination()
