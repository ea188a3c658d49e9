from pyspark import SparkContext
from pyspark.streaming import StreamingContext

sc = SparkContext("local[2]", "words")  # expect: local-master-in-submitted-code
ssc = StreamingContext(sc, 1)
ssc.socketTextStream("words.internal", 9999).pprint()
ssc.start()
ssc.awaitTermination()
