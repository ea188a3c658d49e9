"""PyFlink's methods ask their argument for its Java twin, which a plain text or number does not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.flink_methods import ASYNC_WAITS
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.clients import reads
from shoal.python.descriptors import STATES
from shoal.python.tree import Call, last_name
from shoal.python.values import FunctionValue, Instance, Known, Mapping, Object, Sequence, Symbol, options
from shoal.records import NamedTuple


class _Wanted(NamedTuple):
    position: int
    keyword: str
    instead: str


_ON: dict[tuple[str, str], _Wanted] = {
    ("flink.KafkaSinkBuilder", "set_delivery_guarantee"): _Wanted(0, "delivery_guarantee", "a DeliveryGuarantee"),
    ("flink.KafkaSinkBuilder", "set_record_serializer"): _Wanted(0, "record_serializer", "a KafkaRecordSerializationSchema"),
    ("flink.KafkaSourceBuilder", "set_starting_offsets"): _Wanted(0, "starting_offsets_initializer", "a KafkaOffsetsInitializer"),
    ("flink.KafkaSourceBuilder", "set_value_only_deserializer"): _Wanted(0, "deserialization_schema", "a DeserializationSchema"),
    ("flink.SerializerBuilder", "set_key_serialization_schema"): _Wanted(0, "key_serialization_schema", "a SerializationSchema"),
    ("flink.SerializerBuilder", "set_value_serialization_schema"): _Wanted(0, "value_serialization_schema", "a SerializationSchema"),
    ("flink.CheckpointConfig", "set_checkpointing_mode"): _Wanted(0, "checkpointing_mode", "a CheckpointingMode"),
    ("flink.WatermarkStrategy", "with_timestamp_assigner"): _Wanted(0, "timestamp_assigner", "a TimestampAssigner"),
    ("flink.WatermarkStrategy", "with_idleness"): _Wanted(0, "idle_timeout", "a Duration"),
    ("flink.Environment", "set_runtime_mode"): _Wanted(0, "execution_mode", "a RuntimeExecutionMode"),
    ("flink.Environment", "from_source"): _Wanted(1, "watermark_strategy", "a WatermarkStrategy"),
    ("flink.Environment", "set_state_backend"): _Wanted(0, "state_backend", "a StateBackend"),
    ("flink.CheckpointConfig", "set_checkpoint_storage"): _Wanted(
        0, "storage", "a CheckpointStorage (set_checkpoint_storage_dir takes a path)"
    ),
    ("flink.ElasticsearchSinkBuilder", "set_emitter"): _Wanted(0, "emitter", "an ElasticsearchEmitter (static_index() or dynamic_index())"),
    ("flink.Environment", "enable_checkpointing"): _Wanted(1, "mode", "a CheckpointingMode"),
    ("flink.TableConfig", "set_idle_state_retention"): _Wanted(0, "duration", "a datetime.timedelta"),
    ("flink.TableConfig", "set_idle_state_retention_time"): _Wanted(0, "min_time", "a datetime.timedelta"),
}
# Of these a function is not the object either, whatever it returns: their methods, or their twins in Java, are asked for.
_NO_FUNCTIONS = ("timestamp_assigner", "emitter", "deserialization_schema", "key_serialization_schema", "value_serialization_schema")
# What makes an environment for tables, and what it is made of.
_ENVIRONMENTS = {
    "TableEnvironment.create": (
        "environment_settings",
        "flink.Environment",
        "EnvironmentSettings",
        "a StreamExecutionEnvironment (StreamTableEnvironment.create does)",
    ),
    "StreamTableEnvironment.create": (
        "stream_execution_environment",
        "flink.EnvironmentSettings",
        "a StreamExecutionEnvironment",
        "EnvironmentSettings (they go to environment_settings=)",
    ),
}
# pyflink.datastream.window
_WINDOWS = {
    **dict.fromkeys((f"{kind}{time}TimeWindows.of" for kind in ("Tumbling", "Sliding") for time in ("Event", "Processing")), "size"),
    **dict.fromkeys((f"{time}TimeSessionWindows.with_gap" for time in ("Event", "Processing")), "size"),
}
# What is handed to a stream or to the environment: Flink's older functions and its newer sources and sinks do not stand in for each other.
_CONNECTORS: dict[str, tuple[str, str, str, str]] = {
    "add_source": ("source_func", "a SourceFunction", "Source", "from_source()"),
    "from_source": ("source", "a Source", "SourceFunction", "add_source()"),
    "add_sink": ("sink_func", "a SinkFunction", "Sink", "sink_to()"),
    "sink_to": ("sink", "a Sink", "SinkFunction", "add_sink()"),
}
_KINDS = {
    **dict.fromkeys(("flink.KafkaSource", "flink.FileSource", "flink.PulsarSource"), "Source"),
    **dict.fromkeys(("flink.OldKafkaSource", "flink.OldKinesisSource", "flink.OldRabbitSource"), "SourceFunction"),
    **dict.fromkeys(("flink.KafkaSink", "flink.FileSink", "flink.PulsarSink", "flink.OtherSink"), "Sink"),
    "flink.ElasticsearchSink": "Sink",
    "flink.OldKafkaSink": "SinkFunction",
}
# What JdbcSink.sink takes behind the statement and the types of its rows.
_JDBC = {"jdbc_connection_options": (2, "JdbcConnectionOptions"), "jdbc_execution_options": (3, "JdbcExecutionOptions")}
# Of the types above: made by these, they are functions.
_SINK_FUNCTIONS = ("JdbcSink.sink", "StreamingFileSink.for_row_format")
_NAMES = (
    *{name for _, name in _ON},
    *ASYNC_WAITS,
    "create",
    "set_topics",
    "of",
    "with_gap",
    "for_bounded_out_of_orderness",
    "for_row_format",
)
# What is passed although it has no such twin: `Time` is for windows only, a schema writes values and not Kafka's records.
_TIMES = frozenset(
    f"pyflink.common.{module}Time.{unit}" for module in ("", "time.") for unit in ("milliseconds", "seconds", "minutes", "hours", "days")
)
_SPANS = ("a Duration", "a Time", "a Time or Duration")
_DURATION = pattern(r"pyflink\.common\.(?:time\.)?Duration\.of_\w+")
_STORAGE = pattern(r"(?:FileSystem|JobManager)CheckpointStorage")
_SCHEMA = pattern(r"pyflink\.(?:common|datastream\.formats)\.(?:\w+\.)?\w+Schema")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_NAMES):
        if call.name == "create":
            yield from _created(context, call)
            continue
        if call.name == "set_topics":
            yield from _topics(context, call)
            continue
        wanted = _ON.get((module.receiver_type(call), call.name)) or _static(module.qualified(call))
        node = call.argument(wanted.position, wanted.keyword) if wanted else None
        value = module.value(node, call.spot) if node is not None else None
        nothing = wanted is not None and wanted.keyword == "watermark_strategy" and isinstance(value, Known) and value.value is None
        if wanted and isinstance(value, Known) and (isinstance(value.value, (str, int)) or nothing):
            shown = f"'{value.value}'" if isinstance(value.value, str) else str(value.value)
            message = f"the program stops here with an AttributeError: {call.name} takes {wanted.instead}, not {shown}"
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])
        elif wanted and (other := _other(module, wanted, node, call)):
            if wanted.keyword == "timestamp_assigner" and _never_asked(module, call):
                continue
            where = "where a stream gets this strategy" if wanted.keyword == "timestamp_assigner" else "here"
            message = f"the program stops {where}: {call.name} takes {wanted.instead}, not {other}"
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])
    for call in module.named("set_record_serializer", *_CONNECTORS):
        yield from _misplaced(context, call)
    for call in module.named("sink"):
        if module.qualified(call).endswith("JdbcSink.sink"):
            yield from _jdbc(context, call)
    # The runtime context's states are asked for by descriptor: name= and type_info= are the descriptor's own arguments.
    for call in module.named(*STATES):
        if module.contexts.kinds(call.function) & {"open", "operator"} and call.has_keyword("name", "type_info", "value_type_info"):
            message = f"the task stops here with a TypeError: {call.name} takes a {STATES[call.name]}, which name and types are given to"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _never_asked(module: Any, call: Call) -> bool:
    """Whether nothing asks a strategy for its assigner: nobody reads the strategy, or only `from_source` gets it, which takes the Java one alone."""
    name = module.assigned(call)
    if name and call.function is not None and not reads(module, name, call.spot.scope):
        return True
    asked = {id(step.node) for step in _steps(module, "assign_timestamps_and_watermarks", 0)}
    return id(call.node) not in asked and any(step.node is call.node for step in _steps(module, "from_source", 1))


def _steps(module: Any, method: str, position: int) -> Iterator[Object]:
    """The calls that made the strategies which a method is given."""
    for call in module.named(method):
        node = call.argument(position, "watermark_strategy")
        for made in module.objects(node, call.spot) if node is not None else ():
            yield from made.line()


def _created(context: Context, call: Call) -> Iterator[Finding]:
    """An environment for tables that is made of the other one's settings."""
    module = context.module
    name = module.qualified(call)
    wanted = _ENVIRONMENTS.get(".".join(name.rsplit(".", 2)[-2:])) if name.startswith("pyflink.") else None
    node = call.argument(0, wanted[0]) if wanted else None
    if wanted and node is not None and any(made.type == wanted[1] for made in module.objects(node, call.spot)):
        message = f"the program stops here with an error: {name.rsplit('.', 2)[-2]}.create takes {wanted[2]}, not {wanted[3]}"
        yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _topics(context: Context, call: Call) -> Iterator[Finding]:
    """A list of topics in place of topics: each argument is handed to Java as one of the names."""
    module = context.module
    node = call.argument(0)
    if (
        module.receiver_type(call) == "flink.KafkaSourceBuilder"
        and node is not None
        and isinstance(module.value(node, call.spot), Sequence)
    ):
        message = "the program stops here with an AttributeError: set_topics takes names one by one, not in a list (a * before it hands them over)"
        yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _misplaced(context: Context, call: Call) -> Iterator[Finding]:
    """A source or sink that another method takes, or the builder of one. Tried on PyFlink 1.20.5 with Kafka's connector 3.2.0-1.19 and JDBC's 3.1.2-1.18:
    an AttributeError for builders, and a Py4JError, "Method addSource([class …KafkaSource, …]) does not exist", for the others."""
    module = context.module
    if call.name == "set_record_serializer":
        keyword, wants, refused, other = "record_serializer", "a KafkaRecordSerializationSchema", "", ""
    else:
        keyword, wants, refused, other = _CONNECTORS[call.name]
    on = module.receiver_type(call)
    tables = on.startswith("flink.Table")  # which have no such method at all
    node = call.argument(0, keyword) if on.startswith("flink.") and not tables else None
    found = options(module.value(node, call.spot)) if node is not None else ()
    kinds = {_kind(made) for made in found}
    kind = kinds.pop() if len(kinds) == 1 else ""
    if kind == "Builder":
        message = (
            f"the program stops here with an AttributeError: {call.name} takes {wants}, and this is the builder of one (build() is missing)"
        )
    elif kind and kind == refused:
        message = f"the program stops here with a Py4JError: {call.name} takes {wants}, and this is a {kind}, which goes to {other}"
    else:
        return
    yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _jdbc(context: Context, call: Call) -> Iterator[Finding]:
    """Options of a JDBC sink in a dict, as other libraries take them, or in the builder of them."""
    module = context.module
    for keyword, (position, wants) in _JDBC.items():
        node = call.argument(position, keyword)
        found = options(module.value(node, call.spot)) if node is not None else ()
        if found and all(isinstance(made, Mapping) for made in found):
            other = "a dict"
        elif found and all(isinstance(made, Object) and made.type.endswith("Builder") for made in found):
            other = "the builder of them (build() is missing)"
        else:
            continue
        message = f"the program stops here with an AttributeError: {call.name} takes {wants}, not {other}"
        yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _kind(made: Any) -> str:
    """Source, SourceFunction, Sink or SinkFunction; or Builder, for what builds one of them."""
    if not isinstance(made, Object) or not isinstance(made.root.node, cst.Call):
        return ""
    if made.type.endswith("Builder"):
        return "Builder" if made.type[:-7] in _KINDS or made.type == "flink.SerializerBuilder" else ""
    return "SinkFunction" if made.root.call in _SINK_FUNCTIONS else _KINDS.get(made.type, "")


def _other(module: Any, wanted: _Wanted, node: Any, call: Call) -> str:
    """What stands in place of the object: a function, or something of PyFlink's that has its twin in Java under another name."""
    if wanted.keyword in _NO_FUNCTIONS:
        found = options(module.value(node, call.spot))
        if any(isinstance(made, FunctionValue) for made in found):
            return "a function"
        own = [made.cls for made in found if isinstance(made, Instance)] if wanted.keyword == "emitter" else []
        return f"an object of {own[0].name}, which has no twin in Java" if own and not any(cls.bases for cls in own) else ""
    if wanted.keyword == "starting_offsets_initializer":
        # a member of the strategy that committed_offsets takes
        names = (made.name for made in options(module.value(node, call.spot)) if isinstance(made, Symbol))
        return "a KafkaOffsetResetStrategy" if any(".KafkaOffsetResetStrategy." in name for name in names) else ""
    if not isinstance(node, cst.Call):
        return ""
    # a class of either, or one of Java's by way of the gateway
    if wanted.keyword == "state_backend" and (made := _STORAGE.fullmatch(last_name(node.func))):
        return f"a {made.group()}, which goes to set_checkpoint_storage of the CheckpointConfig"
    name = next((made.name for made in options(module.value(node.func, call.spot)) if isinstance(made, Symbol)), "")
    if wanted.instead in _SPANS and name == "datetime.timedelta":
        return "a timedelta"
    if wanted.instead in ("a Duration", "a datetime.timedelta") and name in _TIMES:
        return "a Time"
    if wanted.instead in ("a Time", "a datetime.timedelta") and _DURATION.fullmatch(name):
        return "a Duration"
    if wanted.keyword == "encoder" and _SCHEMA.fullmatch(name):
        return f"a {name.rpartition('.')[2]}"
    if wanted.keyword == "encoder" and name.endswith("StreamFormat.text_line_format"):
        return "a StreamFormat, which a FileSource reads with"
    if wanted.keyword == "record_serializer" and _SCHEMA.fullmatch(name):
        return f"a {name.rpartition('.')[2]}, which goes to the set_value_serialization_schema of its builder"
    return ""


def _static(name: str) -> _Wanted | None:
    if name.startswith("pyflink.") and name.endswith("WatermarkStrategy.for_bounded_out_of_orderness"):
        return _Wanted(0, "max_out_of_orderness", "a Duration")
    if name.startswith("pyflink.") and ".AsyncDataStream." in name and name.endswith(tuple(ASYNC_WAITS)):
        return _Wanted(2, "timeout", "a Time")
    if name.startswith("pyflink.") and name.endswith("FileSink.for_row_format"):
        return _Wanted(1, "encoder", "an Encoder (Encoder.simple_string_encoder())")
    keyword = _WINDOWS.get(".".join(name.rsplit(".", 2)[-2:])) if name.startswith("pyflink.") else None
    return _Wanted(0, keyword, "a Time or Duration") if keyword else None
