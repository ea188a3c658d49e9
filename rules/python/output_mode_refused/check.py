"""Output modes against sinks and against what the query does. Tried on Spark 3.5.9 and 4.1.4; Delta's from its own documentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import GROUPED, GROUPINGS, PLAIN, Frame, Sink
from shoal.python.tree import Call, descend, dotted
from shoal.python.values import names
from shoal.templates import spark

_AGGREGATIONS = (*GROUPINGS, GROUPED, "agg", "pivot")
# What makes rows of a grouped frame again, by aggregating it.
_SUMS = ("agg", "count", "sum", "avg", "mean", "min", "max")
# Steps that surely aggregate nothing; projections are looked at one by one.
_PLAIN = frozenset(
    [
        "filter",
        "where",
        "withColumn",
        "withColumns",
        "withColumnRenamed",
        "withColumnsRenamed",
        "drop",
        "select",
        "selectExpr",
        "dropna",
        "fillna",
        "repartition",
        "coalesce",
        "join",
        "union",
        "unionByName",
        "unionAll",
        "alias",
        "dropDuplicates",
        "distinct",
        "withWatermark",
        "readStream",
        "read",
        "toDF",
        "hint",
    ]
)
# Functions of columns that surely aggregate nothing; any other may, a parameter of the function around it too.
_OF_ROWS = PLAIN | names(
    "col column lit expr when otherwise window session_window explode explode_outer posexplode array create_map element_at size regexp_replace "
    "regexp_extract current_timestamp current_date hour minute second year month dayofmonth dayofweek date_trunc timestamp_seconds uuid "
    "monotonically_increasing_id input_file_name hash sha2 md5 from_avro to_avro from_csv decode encode isnull isnan to_utc_timestamp "
    "from_utc_timestamp array_contains map_keys map_values arrays_zip broadcast rand greatest least"
) - {"expr"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    seen = set()
    for sink in module.frames.sinks():
        why = _refused(sink)
        mode = sink.calls.get("outputMode")
        if why and mode is not None and id(mode.node) not in seen:
            seen.add(id(mode.node))
            yield context.finding(f"the query is refused when it starts: {why}", module.call_place(mode), covers=[module.covers(mode)])
        if sink.format == "memory" and sink.mode in ("append", "update") and (kept := _checkpoint(module, sink)) is not None:
            message = f"the query is refused from its second start on: in {sink.mode} mode the memory sink does not go on from a checkpoint"
            yield context.finding(message, module.call_place(kept), severity="warning", confidence="medium", covers=[module.covers(kept)])


def _checkpoint(module: Any, sink: Sink) -> Call | None:
    """The call that gives a writer its checkpoint location."""
    for call in module.named("option"):
        if module.string(call.argument(0, "key"), call.spot).lower() == "checkpointlocation" and any(
            step.node is sink.writer.node for obj in module.receivers(call) for step in obj.line()
        ):
            return call  # type: ignore[no-any-return]
    return None


def _refused(sink: Sink) -> str:
    mode = sink.mode
    if why := spark.sink_refuses_mode(sink.format, mode):
        return why
    if mode not in ("update", "complete"):
        return ""
    ways = sink.frames
    if ways and mode == "update" and all(any(_sessions(at) for at in frame.steps(*GROUPINGS) if at.streams) for frame in ways):
        return "windows of sessions are written in append or complete mode"
    if ways and all(_aggregated_again(frame) for frame in ways):
        return f"one aggregation stands on another, and in {mode} mode the first one's rows may be late for the second; append mode is for that"
    if not ways or not all(frame.followed and frame.streams for frame in ways):
        return ""
    aggregated = any(frame.steps(*_AGGREGATIONS) for frame in ways)
    if mode == "complete" and all(at.op in _PLAIN and not _aggregates(at) for frame in ways for at in frame.all()):
        return "complete mode is for aggregations, and this query has none"
    if mode == "update" and not aggregated and all(any(_streams_meet(at) for at in frame.steps("join")) for frame in ways):
        return "a join of two streams can only be written in append mode"
    return ""


def _sessions(step: Frame) -> bool:
    """Whether a grouping has a session window among its keys."""
    return any(
        isinstance(at, cst.Call) and dotted(at.func).rsplit(".", 1)[-1] == "session_window"
        for arg in step.arguments or ()
        for at in descend(arg.value)
    )


def _aggregated_again(frame: Frame) -> bool:
    """Whether a stream is aggregated, and what comes of it once more."""
    sums = [at for at in frame.steps(*_SUMS) if at.inputs[0].op in GROUPINGS and at.streams]
    return any(other is not at and any(step is other for step in at.all()) for at in sums for other in sums)


def _streams_meet(step: Frame) -> bool:
    return len(step.inputs) == 2 and all(side.streams for side in step.inputs)


def _aggregates(step: Frame) -> bool:
    """Whether a projection is an aggregation over the whole stream, or may be: `select(count("*"))`."""
    if step.op not in ("select", "selectExpr"):
        return False
    if step.arguments is None:
        return True
    for arg in step.arguments:
        node = arg.value
        while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in ("alias", "name", "cast"):
            node = node.func.value
        if isinstance(node, cst.Call):
            if dotted(node.func).rsplit(".", 1)[-1] not in _OF_ROWS:
                return True
        elif isinstance(node, cst.SimpleString):
            if step.op == "selectExpr" and "(" in node.value.lower().replace("cast(", ""):
                return True
        elif not isinstance(node, (cst.Attribute, cst.Subscript)):
            return True
    return False
