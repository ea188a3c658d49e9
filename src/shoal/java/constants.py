"""What Java's libraries call things: the types that methods give, and the option that a constant names."""

from __future__ import annotations

from shoal.catalogue import flink_fields
from shoal.lazy import pattern

NUMBERS = {
    ("Integer", "MAX_VALUE"): 2**31 - 1,
    ("Long", "MAX_VALUE"): 2**63 - 1,
    ("Integer", "MIN_VALUE"): -(2**31),
    ("Long", "MIN_VALUE"): -(2**63),
}
# Enumerations of Flink whose constants are values of options: their names tell, whichever of several packages `*` brings them from.
FLINK_ENUMS = frozenset(
    {"CheckpointingMode", "DeliveryGuarantee", "ExternalizedCheckpointCleanup", "ExternalizedCheckpointRetention", "RuntimeExecutionMode"}
)
ENVIRONMENT = "StreamExecutionEnvironment"
TABLE_ENVIRONMENTS = ("TableEnvironment", "StreamTableEnvironment", "TableEnvironmentImpl")
# Types that are declared under another name as well.
SAME = {"StreamStatementSet": "StatementSet"}
# Sources of Flink CDC, under the names of its releases from 1 to 3, and what SQL calls them.
CHANGES = {
    **dict.fromkeys(("MySqlSource", "MySQLSource"), "mysql-cdc"),
    **dict.fromkeys(("PostgreSQLSource", "PostgresIncrementalSource"), "postgres-cdc"),
    **dict.fromkeys(("SqlServerSource", "SqlServerIncrementalSource"), "sqlserver-cdc"),
    **dict.fromkeys(("OracleSource", "OracleIncrementalSource"), "oracle-cdc"),
    "MongoDBSource": "mongodb-cdc",
}
# Sources of other streams that never end; those that are made with `new` have no builder.
ENDLESS = {"KinesisStreamsSource": "kinesis", "FlinkKinesisConsumer": "kinesis", "PulsarSource": "pulsar", "RMQSource": "rabbitmq"}
_BUILT = (*CHANGES, "KinesisStreamsSource", "PulsarSource")
# What a static method of a class gives.
_STATIC = {
    **{(name, "builder"): f"{name}Builder" for name in _BUILT},
    ("StreamExecutionEnvironment", "getExecutionEnvironment"): ENVIRONMENT,
    ("StreamExecutionEnvironment", "createLocalEnvironment"): "LocalStreamEnvironment",
    ("StreamExecutionEnvironment", "createLocalEnvironmentWithWebUI"): "LocalStreamEnvironment",
    ("StreamExecutionEnvironment", "createRemoteEnvironment"): "RemoteStreamEnvironment",
    ("StreamTableEnvironment", "create"): "StreamTableEnvironment",
    ("TableEnvironment", "create"): "TableEnvironment",
    ("KafkaSource", "builder"): "KafkaSourceBuilder",
    ("KafkaSink", "builder"): "KafkaSinkBuilder",
    ("KafkaRecordSerializationSchema", "builder"): "KafkaRecordSerializationSchemaBuilder",
    ("EnvironmentSettings", "newInstance"): "EnvironmentSettings",
    ("EnvironmentSettings", "inStreamingMode"): "EnvironmentSettings",
    ("EnvironmentSettings", "inBatchMode"): "EnvironmentSettings",
    ("EnvironmentSettings", "fromConfiguration"): "EnvironmentSettings",
    ("Configuration", "fromMap"): "Configuration",
    ("ParameterTool", "fromArgs"): "ParameterTool",
    ("ParameterTool", "fromPropertiesFile"): "ParameterTool",
    ("ParameterTool", "fromSystemProperties"): "ParameterTool",
    ("KafkaIO", "read"): "KafkaIO.Read",
    ("KafkaIO", "readBytes"): "KafkaIO.Read",
    ("KafkaIO", "write"): "KafkaIO.Write",
    ("Pipeline", "create"): "Pipeline",
    **{(kind, "create"): kind for kind in ("AdminClient", "Admin", "KafkaAdminClient")},
    **{("CompletableFuture", name): "CompletableFuture" for name in ("supplyAsync", "runAsync", "allOf", "anyOf", "completedFuture")},
}
# What a method of an object gives; a type's `*` stands for all others, which give the object itself.
_METHODS = {
    (ENVIRONMENT, "getCheckpointConfig"): "CheckpointConfig",
    (ENVIRONMENT, "getConfig"): "ExecutionConfig",
    (ENVIRONMENT, "getConfiguration"): "ReadableConfig",
    (ENVIRONMENT, "enableCheckpointing"): ENVIRONMENT,
    (ENVIRONMENT, "setParallelism"): ENVIRONMENT,
    (ENVIRONMENT, "setStateBackend"): ENVIRONMENT,
    (ENVIRONMENT, "setRuntimeMode"): ENVIRONMENT,
    (ENVIRONMENT, "setBufferTimeout"): ENVIRONMENT,
    ("StreamTableEnvironment", "getConfig"): "TableConfig",
    ("TableEnvironment", "getConfig"): "TableConfig",
    ("StreamTableEnvironment", "createStatementSet"): "StatementSet",
    ("TableEnvironment", "createStatementSet"): "StatementSet",
    ("TableConfig", "getConfiguration"): "Configuration",
    ("TableConfig", "set"): "TableConfig",
    ("StatementSet", "addInsertSql"): "StatementSet",
    ("Configuration", "set"): "Configuration",
    ("EnvironmentSettings", "getConfiguration"): "Configuration",
    ("EnvironmentSettings", "*"): "EnvironmentSettings",
    ("KafkaSourceBuilder", "build"): "KafkaSource",
    ("KafkaSourceBuilder", "*"): "KafkaSourceBuilder",
    **{(f"{name}Builder", "build"): name for name in _BUILT},
    **{(f"{name}Builder", "*"): f"{name}Builder" for name in _BUILT},
    ("KafkaSinkBuilder", "build"): "KafkaSink",
    ("KafkaSinkBuilder", "*"): "KafkaSinkBuilder",
    ("KafkaRecordSerializationSchemaBuilder", "*"): "KafkaRecordSerializationSchemaBuilder",
    ("ParameterTool", "mergeWith"): "ParameterTool",
    ("KafkaIO.Read", "*"): "KafkaIO.Read",
    ("KafkaIO.Write", "*"): "KafkaIO.Write",
    ("PipelineOptions", "as"): "PipelineOptions",
    **{(pool, "submit"): "Future" for pool in ("ExecutorService", "ScheduledExecutorService", "ThreadPoolExecutor", "ForkJoinPool")},
    **{
        ("CompletableFuture", stage): "CompletableFuture"
        for stage in (
            "thenApply",
            "thenApplyAsync",
            "thenCompose",
            "thenAccept",
            "thenRun",
            "thenCombine",
            "handle",
            "whenComplete",
            "exceptionally",
        )
    },
}
# Constants of Kafka's clients that are not the option in capitals with underscores and `_CONFIG` (kafka-clients 2.4 to 4.0).
_KAFKA = {
    "METADATA_MAX_AGE_CONFIG": "metadata.max.age.ms",
    "METADATA_MAX_IDLE_CONFIG": "metadata.max.idle.ms",
    "SEND_BUFFER_CONFIG": "send.buffer.bytes",
    "RECEIVE_BUFFER_CONFIG": "receive.buffer.bytes",
    "METRIC_REPORTER_CLASSES_CONFIG": "metric.reporters",
    "KEY_DESERIALIZER_CLASS_CONFIG": "key.deserializer",
    "VALUE_DESERIALIZER_CLASS_CONFIG": "value.deserializer",
    "KEY_SERIALIZER_CLASS_CONFIG": "key.serializer",
    "VALUE_SERIALIZER_CLASS_CONFIG": "value.serializer",
    "TRANSACTION_TIMEOUT_CONFIG": "transaction.timeout.ms",
    "PARTITIONER_ADPATIVE_PARTITIONING_ENABLE_CONFIG": "partitioner.adaptive.partitioning.enable",
    "SASL_JAAS_CONFIG": "sasl.jaas.config",
}
_KAFKA_CLASSES = frozenset({"ConsumerConfig", "ProducerConfig", "CommonClientConfigs", "AdminClientConfig", "SaslConfigs", "SslConfigs"})
# Confluent's serializers name theirs alike: `KafkaAvroDeserializerConfig.SPECIFIC_AVRO_READER_CONFIG`, `AbstractKafkaSchemaSerDeConfig.SCHEMA_REGISTRY_URL_CONFIG`.
_SERIALIZERS = pattern(r"(?:Abstract)?Kafka(?:Avro|Json|JsonSchema|Protobuf|Schema)(?:Serializer|Deserializer|SerDe)Config")
# Constants of Kafka Streams that are called otherwise than their options, and words for options (StreamsConfig of 2.4 to 4.4).
_OF_STREAMS = {
    "AT_LEAST_ONCE": "at_least_once",
    "DSL_STORE_SUPPLIERS_CLASS_CONFIG": "dsl.store.suppliers.class",
    "EXACTLY_ONCE": "exactly_once",
    "EXACTLY_ONCE_BETA": "exactly_once_beta",
    "EXACTLY_ONCE_V2": "exactly_once_v2",
    "IN_MEMORY": "in_memory",
    "METADATA_MAX_AGE_CONFIG": "metadata.max.age.ms",
    "METRIC_REPORTER_CLASSES_CONFIG": "metric.reporters",
    "NO_OPTIMIZATION": "none",
    "OPTIMIZE": "all",
    "PROCESSOR_WRAPPER_CLASS_CONFIG": "processor.wrapper.class",
    "RACK_AWARE_ASSIGNMENT_NON_OVERLAP_COST_CONFIG": "rack.aware.assignment.non_overlap_cost",
    "RACK_AWARE_ASSIGNMENT_TRAFFIC_COST_CONFIG": "rack.aware.assignment.traffic_cost",
    "RECEIVE_BUFFER_CONFIG": "receive.buffer.bytes",
    "ROCKS_DB": "rocksDB",
    "SEND_BUFFER_CONFIG": "send.buffer.bytes",
    "TASK_ASSIGNOR_CLASS_CONFIG": "task.assignor.class",
    "TRANSACTIONAL_STATE_STORES_CONFIG": "enable.transactional.statestores",
    "WINDOW_STORE_CHANGE_LOG_ADDITIONAL_RETENTION_MS_CONFIG": "windowstore.changelog.additional.retention.ms",
}

_SINK, _SOURCE = "org.apache.flink.streaming.api.functions.sink.", "org.apache.flink.streaming.api.functions.source."
_KAFKA_OF_FLINK, _HEAP = "org.apache.flink.streaming.connectors.kafka.", "use HashMapStateBackend, and say where checkpoints are kept"
# Classes that were deprecated long before Flink 2.0, which does not have them, since which release, and what to use (the jars of 1.13 and 1.14 have the mark).
DEPRECATED = {
    _KAFKA_OF_FLINK + "FlinkKafkaConsumer": ("1.14", "use KafkaSource"),
    _KAFKA_OF_FLINK + "FlinkKafkaProducer": ("1.14", "use KafkaSink"),
    "org.apache.flink.runtime.state.filesystem.FsStateBackend": ("1.13", _HEAP),
    "org.apache.flink.runtime.state.memory.MemoryStateBackend": ("1.13", _HEAP),
    "org.apache.flink.contrib.streaming.state.RocksDBStateBackend": ("1.13", "use EmbeddedRocksDBStateBackend"),
    "org.apache.flink.streaming.api.TimeCharacteristic": ("1.13", "nothing has to choose event time"),
}
# All that Flink 2.0 does not have any more under this name, and what to use (the jars of 1.20 against those of 2.0). What is now in a package `legacy` is
# Flink's own.
GONE = {
    **{name: instead for name, (_, instead) in DEPRECATED.items()},
    **dict.fromkeys(
        (
            _SINK + name
            for name in ("SinkFunction", "RichSinkFunction", "TwoPhaseCommitSinkFunction", "OutputFormatSinkFunction", "SocketClientSink")
        ),
        "implement org.apache.flink.api.connector.sink2.Sink",
    ),
    _SINK + "PrintSinkFunction": "use org.apache.flink.streaming.api.functions.sink.PrintSink",
    _SINK + "DiscardingSink": "use org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink",
    _SINK + "filesystem.StreamingFileSink": "use org.apache.flink.connector.file.sink.FileSink",
    **dict.fromkeys(
        (_SOURCE + name for name in ("SourceFunction", "RichSourceFunction", "ParallelSourceFunction", "RichParallelSourceFunction")),
        "implement org.apache.flink.api.connector.source.Source",
    ),
    **dict.fromkeys(
        ("org.apache.flink.api.common.time.Time", "org.apache.flink.streaming.api.windowing.time.Time"),
        "use java.time.Duration",
    ),
    "org.apache.flink.api.common.restartstrategy.RestartStrategies": "set restart-strategy.type and its options in a Configuration",
    **dict.fromkeys(
        (
            f"org.apache.flink.streaming.api.functions.{name}"
            for name in ("AscendingTimestampExtractor", "AssignerWithPeriodicWatermarks", "AssignerWithPunctuatedWatermarks")
        ),
        "use WatermarkStrategy",
    ),
    "org.apache.flink.streaming.api.datastream.IterativeStream": "there is none",
}


def result(owner: str, name: str) -> str:
    """The type that a method gives, called on a type or on `class:Name`; empty when it is not known."""
    if owner.startswith("class:"):
        owner = owner[len("class:") :]
        return _STATIC.get((owner, name), "")
    if name == "toCompletableFuture":  # of any CompletionStage, which few clients call by this name
        return "CompletableFuture"
    return _METHODS.get((owner, name)) or _METHODS.get((owner, "*"), "")


def kafka_option(owner: str, name: str) -> str:
    """The option of a Kafka client that `ConsumerConfig.GROUP_ID_CONFIG` and the like name, or a word of Kafka Streams for one."""
    if owner == "StreamsConfig":
        regular = name.removesuffix("_CONFIG").removesuffix("_CLASS").lower().replace("_", ".") if name.endswith("_CONFIG") else ""
        return _OF_STREAMS.get(name, regular)
    if not (owner in _KAFKA_CLASSES or _SERIALIZERS.fullmatch(owner)):
        return ""
    return _KAFKA.get(name) or name.removesuffix("_CONFIG").lower().replace("_", ".")


def flink_option(owner: str, name: str) -> str:
    """The option that `CheckpointingOptions.CHECKPOINTS_DIRECTORY` and the like name."""
    return flink_fields().get(f"{owner}.{name}", "") if owner.endswith("Options") else ""
