"""Sinks that Spark refuses to write. Tried on Spark 4.3, but for the Kafka sink, whose checks are those of its KafkaWriter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.batch_writes import save_format
from shoal.python.frame import BATCH, GROUPINGS, MICRO_BATCH, SAME_COLUMNS, SAVES, Frame, Sink, keys_of
from shoal.python.tree import Call, Function, last_name
from shoal.templates import spark

# Functions whose result is a column of no such name unless it is given one.
_NAMELESS = frozenset({"to_json", "to_avro", "to_csv", "to_protobuf", "struct", "concat", "concat_ws", "encode"})
# What ends an expression that is given a name, and a cast that has none: Spark calls that by the column it casts.
_AS = pattern(r"\sas\s+(`[^`]+`|\w+)$")
_CAST = pattern(r"cast\s*\(\s*(`[^`]+`|\w+)\s+as\s+[\w(), ]+\)")
_TOPIC = pattern(r"topic|options\(|\*\*")
# Functions that make a struct, an array or a map.
_NESTED = frozenset(
    {
        "window",
        "session_window",
        "struct",
        "named_struct",
        "array",
        "create_map",
        "from_json",
        "from_avro",
        "split",
        "collect_list",
        "collect_set",
    }
)
_FLAT = frozenset({"csv", "text"})
# Those of them for which JDBC has no type anywhere: PostgreSQL has arrays, and some of its dialects text for the others.
_STRUCTS = frozenset({"window", "session_window", "struct", "named_struct"})
_SUMS = frozenset({"count", "sum", "avg", "mean", "min", "max"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for block in job.select("spark", ("writer",), ("python",)):
        why = spark.sink_lacks(job, block)
        if why:
            yield context.finding(f"the query fails to start: {why}", block)
    seen = set()
    for sink in module.frames.sinks():
        start = next((sink.calls[name] for name in ("start", "toTable") if name in sink.calls), None)
        if start is None or id(start.node) in seen or not sink.frames or not all(frame.followed for frame in sink.frames):
            continue
        why = _frames(module, sink, start)
        if why:
            seen.add(id(start.node))
            at = sink.calls.get("format", start)
            yield context.finding(f"the query fails to start: {why}", module.call_place(at), covers=[module.covers(start)])
        elif sink.format in _FLAT and all(ways := [_nested(module, frame.line(), _NESTED) for frame in sink.frames]):
            seen.add(id(start.node))
            made, step = ways[0] or ("", None)
            message = f"the query fails with its first batch: {sink.format} holds no nested columns, and {made} makes one"
            yield context.finding(
                message, module.call_place(sink.calls["format"]), [(module.frames.place(step), "here")], covers=[module.covers(start)]
            )
    yield from _of_batches(context)


def _of_batches(context: Context) -> Iterator[Finding]:
    """Nested columns of a stream that a function of foreachBatch writes where there can be none."""
    module = context.module
    for function, _ in module.contexts.running("foreach-batch"):
        for call in function.calls:
            form = save_format(module, call) if call.name in SAVES else ""
            ways = module.frames.written(call) if form == "jdbc" or form in _FLAT else ()
            if not ways or any(frame.roots() != {MICRO_BATCH} for frame in ways):
                continue
            nested = _STRUCTS if form == "jdbc" else _NESTED
            lines = [[(*_above(frame), *of.line()) for frame in ways for of in sink.frames] for sink in _sinks(module, function)]
            found = [[_nested(module, line, nested) for line in of] for of in lines]
            made = next((of[0] for of in found if of and all(of)), None)
            if made is not None and (len(found) == 1 or not call.spot.conditional):
                message = f"this fails with the first batch: {form} holds no nested columns, and {made[0]} makes one"
                related = [(module.frames.place(made[1]), "here")]
                yield context.finding(message, module.call_place(call), related, confidence="medium", covers=[module.covers(call)])


def _above(frame: Frame) -> Iterator[Frame]:
    """The steps that a batch function takes."""
    return (at for at in frame.line() if at.inputs)


def _sinks(module: Any, function: Function) -> list[Sink]:
    """The sinks whose batches a function, or one that calls it, is given."""
    entries = {id(context.entry) for context in module.contexts.of(function) if context.kind == "foreach-batch"}
    return [
        sink
        for sink in module.frames.sinks()
        if (call := sink.calls.get("foreachBatch")) is not None
        and any(id(one) in entries for one in module.function_of(call.argument(0, "func"), call.spot))
    ]


def _frames(module: Any, sink: Sink, start: Call) -> str:
    """What a frame lacks to be written so."""
    if all(frame.roots() == {BATCH} for frame in sink.frames):
        return "this frame is read as a batch (spark.read), and only a stream (spark.readStream) can be written as one"
    if sink.format == "kafka":
        columns = [_columns(module, frame) for frame in sink.frames]
        if all(found and "value" not in found for found in columns):
            return f"the Kafka sink needs a column `value`, and this frame has {', '.join(sorted(columns[0] or ()))}"
        written = cst.Module([]).code_for_node(start.node)
        if all(found and "topic" not in found for found in columns) and "writeStream" in written and not _TOPIC.search(written):
            return "the Kafka sink needs the option topic, or a column of that name"
    return ""


def _columns(module: Any, frame: Frame) -> frozenset[str] | None:
    """The columns of a frame whose last projection names them all; None where they are not known."""
    for at in frame.line():
        if at.op in ("select", "selectExpr") and at.arguments is not None:
            found = [_name(module, arg, at) for arg in at.arguments]
            return frozenset(found) if found and all(found) else None
        if at.op not in SAME_COLUMNS:
            return None
    return None


def _nested(module: Any, line: Iterable[Frame], functions: frozenset[str]) -> tuple[str, Frame] | None:
    """Which of the functions that make a struct, array or map makes a column of the frame of these steps, and the step that does; None where there is none, or it cannot be told."""
    replaced: set[str] = set()
    for at in line:
        if at.op in SAME_COLUMNS or (at.op in _SUMS and at.inputs[0].op in GROUPINGS):
            continue
        if at.arguments is None or at.op not in ("select", "withColumn", "agg", *GROUPINGS):
            return None
        given = [arg.value for arg in at.arguments[1:]] if at.op == "withColumn" else keys_of(at)
        named = str(module.string(at.arguments[0].value, at.spot)).lower() if at.op == "withColumn" else ""
        for node in given:
            made, name = _made(module, node, at)
            if made in functions and (named or name) not in replaced:
                return f"{made}()", at
        if at.op in ("select", *GROUPINGS) or (at.op == "withColumn" and not named):
            return None
        replaced.add(named)
    return None


def _made(module: Any, node: Any, at: Frame) -> tuple[str, str]:
    """The function that makes a column, and what that is called."""
    name = ""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("alias", "name"):
        name = name or str(module.string(node.args[0].value, at.spot) if node.args else "").lower()
        node = node.func.value
    made = last_name(node.func) if isinstance(node, cst.Call) else ""
    return made, name or made


def _name(module: Any, arg: cst.Arg, frame: Frame) -> str:
    """What a projection calls one column: by an alias, or by the column's own name; empty for anything else."""
    node: Any = arg.value
    if arg.star or arg.keyword is not None:
        return ""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("alias", "name"):
        call = Call(node, "alias", frame.spot, None, "")
        return str(module.string(call.argument(0), frame.spot)).lower() if len(node.args) == 1 else ""
    if isinstance(node, cst.Call) and last_name(node.func) in ("col", "column") and len(node.args) == 1:
        node = node.args[0].value
    if isinstance(node, cst.Call) and last_name(node.func) in _NAMELESS:
        return f"{last_name(node.func)}(…)"
    text = str(module.string(node, frame.spot)).strip().lower() if not isinstance(node, cst.Call) else ""
    if frame.op == "selectExpr":
        named = _AS.search(text) or _CAST.fullmatch(text)
        return named[1].strip("`") if named else text if text.isidentifier() else ""
    return text if text.isidentifier() else ""
