"""A function of Python's without `output_type` gives Java pickled bytes, which a schema or encoder of Java's takes for strings or rows.

Tried on PyFlink 1.20.5 with flink-sql-connector-kafka 3.2.0-1.19, one job for each function and sink. `map`, `flat_map`, `process` and `aggregate` on streams,
keyed, connected and windowed ones, and `from_collection`, all without a type: the job with a `KafkaSink` and `SimpleStringSchema` fails with "class [B cannot
be cast to class java.lang.String", and `Encoder.simple_string_encoder()` writes "[B@71af249f" into the file. `filter`, `union`, `rebalance`, `name`,
`reduce` on keys and watermarks keep the type; `sink_to` on what `key_by` gives writes a Row of the key and the record. Each other of `_JAVA` fails
likewise in the `KafkaSink`; the encoder writes them as texts. `JsonRowSerializationSchema` and `JdbcSink` (3.1.2-1.18, H2) fail for pickled bytes, strings and
tuples. `FlinkKafkaProducer`, which asks its broker for the topic first, calls the same schemas.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.pyflink_builders import schema, value_schema
from shoal.python.tree import Call, Spot
from shoal.python.values import Known, Object, names
from shoal.records import NamedTuple

_KEEP = names(
    "filter union key_by rebalance shuffle forward rescale global_ partition_custom assign_timestamps_and_watermarks name uid set_uid_hash "
    "set_parallelism set_max_parallelism slot_sharing_group start_new_chain disable_chaining set_buffer_timeout set_description "
    "force_non_parallel cache"
)
# What makes records, and on which kinds of streams.
_FUNCTIONS = {
    "map": ("flink.DataStream", "flink.KeyedStream", "flink.ConnectedStreams"),
    "flat_map": ("flink.DataStream", "flink.KeyedStream", "flink.ConnectedStreams"),
    "process": ("flink.DataStream", "flink.KeyedStream", "flink.ConnectedStreams", "flink.WindowedStream"),
    "apply": ("flink.WindowedStream",),
    "aggregate": ("flink.WindowedStream",),
}
_POSITIONS = {"aggregate": 3}  # which argument `output_type` is, where it is not the second
# What the records are for Java, by the methods of Types.
_JAVA = {
    "STRING": "String",
    "INT": "Integer",
    "LONG": "Long",
    "FLOAT": "Float",
    "DOUBLE": "Double",
    "BOOLEAN": "Boolean",
    "TUPLE": "Tuple",
    "ROW": "Row",
    "ROW_NAMED": "Row",
    "LIST": "List",
    "MAP": "Map",
    "PICKLED_BYTE_ARRAY": "byte[]",
}


class _Sink(NamedTuple):
    """What writes a sink's records, the type that it takes, and whether it writes any other as a text."""

    name: str
    java: str
    prints: bool = False


_SCHEMAS = (_Sink("SimpleStringSchema", "String"), _Sink("JsonRowSerializationSchema", "Row"))


class _Made(NamedTuple):
    """What gives a stream its type: the place to point at, what it is called, and the type, empty for pickled bytes."""

    node: Any
    spot: Spot
    name: str
    java: str


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    told: set[int] = set()
    sinks = [(call, sink) for call in module.named("sink_to", "add_sink") if (sink := _sink(module, call)) is not None]
    for call, sink in sorted(sinks, key=lambda pair: pair[1].prints):  # of two sinks of a stream, the one that fails is told
        ways = [_made(module, stream, call) for stream in module.sure_receivers(call)]
        if None in ways:
            continue
        for made in ways:
            if made is None or made.java == sink.java or id(made.node) in told or (made.java not in ("", "byte[]") and sink.prints):
                continue
            told.add(id(made.node))
            why = f"{made.name} has no type given, so its records are pickled bytes"
            if made.name == "key_by":
                why = "sink_to hands it rows of keys and records when it is called on the keyed stream itself"
            elif made.java:
                why = f"these are of Java's type {made.java}"
            elif sink.java == "String":
                why += f" ({'type_info' if made.name == 'from_collection' else 'output_type'}=Types.STRING() makes them strings)"
            what = (
                "the files get lines such as [B@71af249f" if sink.prints else "the job fails with a ClassCastException at its first record"
            )
            message = f"{what}: {sink.name} takes records of type {sink.java}, and {why}"
            place = module.place(made.node, made.spot)
            yield context.finding(message, place, [(module.call_place(call), "the sink")], covers=[place])


def _sink(module: Any, call: Call) -> _Sink | None:
    """What the sink surely takes; None where that is not known."""
    node = call.argument(0, "sink" if call.name == "sink_to" else "sink_func")
    found = {_takes(module, obj) for obj in (module.objects(node, call.spot) if node is not None else ())}
    return found.pop() if len(found) == 1 else None


def _takes(module: Any, sink: Object) -> _Sink | None:
    root = sink.root
    if not isinstance(root.node, cst.Call):
        return None
    made = Call(root.node, "", root.spot, None, "")
    if sink.type == "flink.OldKafkaSink":
        return _of_schema(schema(module, made.argument(1, "serialization_schema"), made))
    if sink.type == "flink.FileSink" and root.call.endswith(".for_row_format"):
        encodes = schema(module, made.argument(1, "encoder"), made).endswith(".Encoder.simple_string_encoder")
        return _Sink("simple_string_encoder", "String", True) if encodes else None
    if root.call == "JdbcSink.sink":
        return _Sink("JdbcSink", "Row")
    if sink.type != "flink.KafkaSink":
        return None
    given = [call for call in module.named("set_record_serializer") if any(obj.root is root for obj in module.receivers(call))]
    node = given[0].argument(0, "record_serializer") if len(given) == 1 else None
    found = module.objects(node, given[0].spot) if node is not None else []
    schemas = {_of_schema(value_schema(module, obj)) if obj.type == "flink.Serializer" else None for obj in found}
    return schemas.pop() if len(schemas) == 1 else None


def _of_schema(name: str) -> _Sink | None:
    return next((sink for sink in _SCHEMAS if name.endswith((f".{sink.name}", f".{sink.name}.builder"))), None)


def _made(module: Any, stream: Object, call: Call) -> _Made | None:
    """What gives a stream its type; None where the type is not known."""
    if stream.type == "flink.KeyedStream" and call.name == "sink_to":
        # unlike `add_sink`, it is handed what `key_by` makes: rows of keys and records
        func = stream.node.func if isinstance(stream.node, cst.Call) and stream.call == "key_by" else None
        return _Made(func.attr, stream.spot, "key_by", "Row") if isinstance(func, cst.Attribute) else None
    for at in stream.line():
        if not isinstance(at.node, cst.Call) or at.source is None:
            return None
        step = Call(at.node, at.call, at.spot, None, "")
        if at.call in _KEEP or (at.call == "reduce" and at.source.type == "flink.KeyedStream"):
            continue
        if at.call == "from_collection" and at.source.type == "flink.Environment":
            return _typed(module, step, step.argument(1, "type_info"))
        if at.source.type in _FUNCTIONS.get(at.call, ()):
            return _typed(module, step, step.argument(_POSITIONS.get(at.call, 1), "output_type"))
        return None
    return None


def _typed(module: Any, step: Call, given: Any) -> _Made | None:
    value = module.value(given, step.spot) if given is not None else None
    if given is None or (isinstance(value, Known) and value.value is None):
        name = step.node.func.attr if isinstance(step.node.func, cst.Attribute) else None
        return None if step.has_stars or name is None else _Made(name, step.spot, step.name, "")
    kind = schema(module, given, step).split(".")
    if len(kind) < 2 or kind[-2] != "Types" or kind[-1] not in _JAVA:
        return None
    return _Made(given, step.spot, step.name, _JAVA[kind[-1]])
