"""PySpark 2.4 to 4.1: sessions, streaming readers and writers, data frames and their grouped forms."""

from shoal.python.libraries import Library, words

_READER = {
    **words("format option options schema", "="),
    **words("load table json csv parquet orc text socket rate delta", "spark.DataFrame"),
}
_WRITER = {
    **words("format option options outputMode trigger queryName partitionBy foreachBatch foreach clusterBy", "="),
    "start": "spark.StreamingQuery",
    "toTable": "spark.StreamingQuery",
    "table": "spark.StreamingQuery",
}

LIBRARIES = {
    "pyspark": Library(
        calls={
            "SparkSession.builder": "spark.Builder",
            "SparkSession.Builder": "spark.Builder",
            "SparkSession": "spark.Session",
            "SparkSession.getActiveSession": "spark.Session",
            "SparkSession.active": "spark.Session",
            "SQLContext": "spark.Session",
            "HiveContext": "spark.Session",
            "DatabricksSession.builder": "spark.Builder",
            "SparkConf": "spark.Conf",
            "SparkContext": "spark.Context",
            "SparkContext.getOrCreate": "spark.Context",
            "StreamingContext": "spark.StreamingContext",
            "StreamingContext.getOrCreate": "spark.StreamingContext",
            **dict.fromkeys(
                ("KafkaUtils.createStream", "KafkaUtils.createDirectStream", "KinesisUtils.createStream", "FlumeUtils.createStream"),
                "spark.DStream",
            ),
            "configure_spark_with_delta_pip": "spark.Builder@0:spark_session_builder",
        },
        methods={
            "spark.Builder": {"getOrCreate": "+spark.Session", "create": "+spark.Session", "*": "="},
            "spark.Conf": {"*": "="},
            "spark.RuntimeConf": {},
            "spark.Session": {
                "newSession": "spark.Session",
                **words("sql table createDataFrame range", "spark.DataFrame"),
            },
            "spark.Reader": _READER,
            "spark.BatchReader": {**_READER, "jdbc": "spark.DataFrame"},
            "spark.Writer": _WRITER,
            "spark.BatchWriter": {**words("format option options mode partitionBy bucketBy sortBy", "=")},
            "spark.DataFrame": {
                **words("groupBy groupby rollup cube", "spark.Grouped"),
                **words(
                    "count show collect first head take tail toPandas foreach foreachPartition isEmpty printSchema explain toLocalIterator",
                    "",
                ),
                **words("createOrReplaceTempView createTempView createOrReplaceGlobalTempView createGlobalTempView registerTempTable", ""),
                "writeTo": "spark.BatchWriter",
                "*": "spark.DataFrame",
            },
            "spark.Grouped": {"pivot": "=", "*": "spark.DataFrame"},
            "spark.StreamingQuery": {},
            # The old API: a context makes streams of RDDs.
            "spark.StreamingContext": words(
                "socketTextStream textFileStream binaryRecordsStream queueStream union transform", "spark.DStream"
            ),
            "spark.DStream": {**words("foreachRDD pprint saveAsTextFiles context", ""), "*": "spark.DStream"},
            "spark.RDD": {
                **words(
                    "collect count first take top isEmpty reduce foreach foreachPartition saveAsTextFile max min sum getNumPartitions", ""
                ),
                "toDF": "spark.DataFrame",
                "*": "spark.RDD",
            },
            "spark.QueryManager": {},
        },
        attributes={
            "spark.Session": {
                "readStream": "spark.Reader",
                "read": "spark.BatchReader",
                "conf": "+spark.RuntimeConf",
                "sparkContext": "+spark.Context",
                "streams": "+spark.QueryManager",
            },
            "spark.DataFrame": {
                "writeStream": "spark.Writer",
                "write": "spark.BatchWriter",
                "sparkSession": "spark.Session",
            },
            "spark.Context": {},
        },
    ),
}
