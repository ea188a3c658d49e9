"""PyFlink 1.13 to 2.3."""

from shoal.flink_methods import ASYNC_WAITS
from shoal.python.libraries import Library, words

_ENV = {
    "get_checkpoint_config": "+flink.CheckpointConfig",
    "get_config": "+flink.ExecutionConfig",
    "enable_checkpointing": "=",
    "set_parallelism": "=",
    "set_max_parallelism": "=",
    "set_runtime_mode": "=",
    "set_buffer_timeout": "=",
    "set_state_backend": "=",
    "set_default_savepoint_directory": "=",
    "disable_operator_chaining": "=",
    "execute": "flink.JobExecutionResult",
    "execute_async": "flink.JobClient",
    **words("from_source from_collection read_text_file read_file socket_text_stream add_source from_elements", "flink.DataStream"),
}
_TABLE_ENV = {
    "get_config": "+flink.TableConfig",
    "create_statement_set": "+flink.StatementSet",
    **words("from_path sql_query from_elements from_descriptor from_pandas from_data_stream from_changelog_stream scan", "flink.Table"),
    "execute_sql": "flink.TableResult",
    "to_data_stream": "flink.DataStream",
    "to_append_stream": "flink.DataStream",
    "to_retract_stream": "flink.DataStream",
    "to_changelog_stream": "flink.DataStream",
}
_STREAM = {
    **words(
        "map flat_map filter assign_timestamps_and_watermarks union rebalance shuffle broadcast forward rescale global_ partition_custom "
        "get_side_output process key_by reduce sum min max min_by max_by aggregate apply connect project with_idleness cache",
        "flink.DataStream",
    ),
    **words(
        "name uid set_uid_hash set_description set_parallelism set_max_parallelism force_non_parallel slot_sharing_group start_new_chain "
        "disable_chaining set_buffer_timeout returns",
        "=",
    ),
    "key_by": "flink.KeyedStream",
    **words("window count_window", "flink.WindowedStream"),
    "window_all": "flink.WindowedStream",
    "connect": "flink.ConnectedStreams",
    "sink_to": "flink.DataStreamSink",
    "add_sink": "flink.DataStreamSink",
    "print": "flink.DataStreamSink",
    "execute_and_collect": "flink.CloseableIterator",
}
_WINDOWED = {
    **words("allowed_lateness side_output_late_data trigger evictor", "="),
    **words("reduce aggregate apply process sum min max", "flink.DataStream"),
}
_BUILDERS = {
    "KafkaSource": "flink.KafkaSource",
    "KafkaSink": "flink.KafkaSink",
    "KafkaRecordSerializationSchema": "flink.Serializer",
    "FileSource": "flink.FileSource",
    "FileSink": "flink.FileSink",
    "KinesisStreamsSink": "flink.OtherSink",
    "KinesisFirehoseSink": "flink.OtherSink",
    "PulsarSource": "flink.PulsarSource",
    "PulsarSink": "flink.PulsarSink",
}
# What get_state, get_list_state and so on of the runtime context give.
_STATES = ("", "_list", "_map", "_reducing", "_aggregating")

LIBRARIES = {
    "pyflink": Library(
        calls={
            "StreamExecutionEnvironment.get_execution_environment": "flink.Environment@0:configuration",
            "StreamExecutionEnvironment": "flink.Environment",
            "StreamTableEnvironment.create": "flink.TableEnvironment@0:stream_execution_environment",
            "TableEnvironment.create": "flink.TableEnvironment@0:environment_settings",
            "BatchTableEnvironment.create": "flink.TableEnvironment@0:environment_settings",
            "EnvironmentSettings.in_streaming_mode": "flink.EnvironmentSettings",
            "EnvironmentSettings.in_batch_mode": "flink.EnvironmentSettings",
            "EnvironmentSettings.new_instance": "flink.EnvironmentSettings",
            "EnvironmentSettings.Builder": "flink.EnvironmentSettings",
            "EnvironmentSettings.from_configuration": "flink.EnvironmentSettings@0:config",
            "Configuration": "flink.Configuration",
            "TableConfig": "flink.TableConfig",
            "TableConfig.get_default": "flink.TableConfig",
            "CheckpointConfig": "flink.CheckpointConfig",
            **{f"{name}.builder": f"{kind}Builder" for name, kind in _BUILDERS.items()},
            "FileSink.for_row_format": "flink.FileSinkBuilder",
            "FileSink.for_bulk_format": "flink.FileSinkBuilder",
            "JdbcConnectionOptions.JdbcConnectionOptionsBuilder": "flink.JdbcConnectionBuilder",
            "JdbcExecutionOptions.builder": "flink.JdbcExecutionBuilder",
            "JdbcExecutionOptions.Builder": "flink.JdbcExecutionBuilder",
            "OutputFileConfig.builder": "flink.OutputFileConfigBuilder",
            "OutputFileConfig.OutputFileConfigBuilder": "flink.OutputFileConfigBuilder",
            "FileSource.for_record_stream_format": "flink.FileSourceBuilder",
            "FileSource.for_bulk_file_format": "flink.FileSourceBuilder",
            "StreamingFileSink.for_row_format": "flink.FileSinkBuilder",
            "FlinkKafkaConsumer": "flink.OldKafkaSource",
            "FlinkKafkaProducer": "flink.OldKafkaSink",
            "FlinkKinesisConsumer": "flink.OldKinesisSource",
            "RMQSource": "flink.OldRabbitSource",
            "JdbcSink.sink": "flink.OtherSink",
            "WatermarkStrategy.for_bounded_out_of_orderness": "flink.WatermarkStrategy",
            "WatermarkStrategy.for_monotonous_timestamps": "flink.WatermarkStrategy",
            "WatermarkStrategy.no_watermarks": "flink.WatermarkStrategy",
            "WatermarkStrategy.for_generator": "flink.WatermarkStrategy",
            **dict.fromkeys((f"AsyncDataStream.{name}" for name in ASYNC_WAITS), "flink.DataStream"),
            **words("Elasticsearch6SinkBuilder Elasticsearch7SinkBuilder", "flink.ElasticsearchSinkBuilder"),
            "TableDescriptor.for_connector": "flink.TableDescriptorBuilder",
            "TableDescriptor.for_managed": "flink.TableDescriptorBuilder",
            "FormatDescriptor.for_format": "flink.FormatDescriptorBuilder",
            "Schema.new_builder": "flink.SchemaBuilder",
            "ValueStateDescriptor": "flink.StateDescriptor",
            "ListStateDescriptor": "flink.StateDescriptor",
            "MapStateDescriptor": "flink.StateDescriptor",
            "ReducingStateDescriptor": "flink.StateDescriptor",
            "AggregatingStateDescriptor": "flink.StateDescriptor",
            "StateTtlConfig.new_builder": "flink.StateTtlBuilder",
            "StateTtlConfig": "flink.StateTtl",
        },
        methods={
            "flink.Environment": _ENV,
            "flink.TableEnvironment": _TABLE_ENV,
            "flink.ExecutionConfig": words("set_parallelism set_auto_watermark_interval set_max_parallelism enable_object_reuse", "="),
            "flink.CheckpointConfig": {},
            "flink.TableConfig": {"get_configuration": "+flink.Configuration", "set": "=", "set_idle_state_retention": "="},
            "flink.Configuration": {
                **words(
                    "set_string set_integer set_boolean set_float set_double set_bytearray set add_all set_any remove_config",
                    "=",
                ),
            },
            "flink.EnvironmentSettings": {
                **words(
                    "in_streaming_mode in_batch_mode use_blink_planner with_configuration with_built_in_catalog_name use_any_planner build",
                    "=",
                ),
                "get_configuration": "+flink.Configuration",
            },
            "flink.KafkaSourceBuilder": {"build": "+flink.KafkaSource", "*": "="},
            "flink.KafkaSinkBuilder": {"build": "+flink.KafkaSink", "*": "="},
            "flink.SerializerBuilder": {"build": "+flink.Serializer", "*": "="},
            "flink.FileSourceBuilder": {"build": "+flink.FileSource", "*": "="},
            "flink.FileSinkBuilder": {"build": "+flink.FileSink", "*": "="},
            "flink.JdbcConnectionBuilder": {"build": "+flink.JdbcConnection", "*": "="},
            "flink.JdbcExecutionBuilder": {"build": "+flink.JdbcExecution", "*": "="},
            "flink.OutputFileConfigBuilder": {"build": "+flink.OutputFileConfig", "*": "="},
            "flink.OtherSinkBuilder": {"build": "+flink.OtherSink", "*": "="},
            "flink.ElasticsearchSinkBuilder": {"build": "+flink.ElasticsearchSink", "*": "="},
            "flink.PulsarSourceBuilder": {"build": "+flink.PulsarSource", "*": "="},
            "flink.PulsarSinkBuilder": {"build": "+flink.PulsarSink", "*": "="},
            "flink.TableDescriptorBuilder": {"build": "+flink.TableDescriptor", "*": "="},
            "flink.FormatDescriptorBuilder": {"build": "+flink.FormatDescriptor", "*": "="},
            "flink.SchemaBuilder": {"build": "+flink.Schema", "*": "="},
            "flink.StateTtlBuilder": {"build": "+flink.StateTtl", "*": "="},
            "flink.DataStream": _STREAM,
            "flink.KeyedStream": _STREAM,
            "flink.ConnectedStreams": {**_STREAM, "key_by": "flink.ConnectedStreams"},
            "flink.WindowedStream": _WINDOWED,
            "flink.DataStreamSink": words(
                "name uid set_parallelism disable_chaining slot_sharing_group set_description set_uid_hash set_max_parallelism", "="
            ),
            "flink.WatermarkStrategy": words("with_timestamp_assigner with_idleness with_watermark_alignment", "flink.WatermarkStrategy"),
            "flink.Table": {
                **words(
                    "select where filter group_by join left_outer_join right_outer_join full_outer_join window map flat_map aggregate flat_aggregate "
                    "distinct union union_all alias add_columns drop_columns rename_columns order_by limit fetch offset join_lateral",
                    "flink.Table",
                ),
                "execute_insert": "flink.TableResult",
                "execute": "flink.TableResult",
                "insert_into": "flink.TablePipeline",
            },
            "flink.TablePipeline": {"execute": "flink.TableResult"},
            "flink.TableResult": {"collect": "flink.CloseableIterator", "get_job_client": "flink.JobClient"},
            "flink.StatementSet": {"execute": "flink.TableResult", "add_insert_sql": "=", "add_insert": "="},
            "flink.RuntimeContext": {f"get{kind}_state": f"flink.{(kind or '_value')[1:].title()}State" for kind in _STATES},
            "flink.FunctionContext": {},
            "flink.TimerService": {},
            "flink.Context": {"timer_service": "flink.TimerService"},
            "flink.WindowContext": {},
        },
        attributes={},
    ),
}
