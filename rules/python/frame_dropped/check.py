"""`frame.withWatermark(…)` and `stream.filter(…)` as statements: they change neither frame nor stream, and the new one is thrown away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import MICRO_BATCH
from shoal.python.tree import Call, descend, last_name
from shoal.python.values import names

_MAKES = (
    *(
        "select",
        "selectExpr",
        "withColumn",
        "withColumns",
        "withColumnRenamed",
        "filter",
        "where",
        "drop",
        "withWatermark",
        "dropDuplicates",
    ),
    *("drop_duplicates", "dropDuplicatesWithinWatermark", "join", "union", "unionByName", "dropna", "fillna", "repartition", "coalesce"),
)


_STREAMS = names("flink.DataStream flink.KeyedStream")
# of a data frame of Quix Streams; update, print, fill, drop, sink and to_topic change it where it is
_QUIX = ("filter", "apply", "set_timestamp", "set_headers", "group_by")
_PURE = names("str int float bool len tuple list dict set round abs min max sum sorted repr Row loads dumps")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook:
        return  # the last line of a cell shows what it gives
    for call in module.named("map", "flat_map", "filter", "key_by", "union"):
        if call.use == "dropped" and module.receiver_type(call) in _STREAMS and _pure(call.node) and _of_pure(call.receiver_node):
            message = f"{call.name}() changes nothing by itself: it gives back a new stream, which is dropped here, and what is called on the old one does not get it; assign it"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call in module.named(*_QUIX):
        if call.use == "dropped" and module.receiver_type(call) == "quix.Frame" and (call.name == "group_by" or _only_gives(call)):
            message = f"{call.name}() changes nothing by itself: it gives back a new data frame, which is dropped here, and the steps below work on the old one; assign it"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
    for call in module.named(*_MAKES):
        if call.use != "dropped":
            continue
        ways = module.frames.receivers(call)
        if ways and all(frame.followed and (frame.streams or MICRO_BATCH in frame.roots()) for frame in ways):
            message = f"{call.name}() changes nothing by itself: it gives back a new frame, which is dropped here; assign it"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _pure(step: cst.Call) -> bool:
    """Whether a step of a stream does nothing but give another one: a function that writes somewhere may be all that the program wants."""
    if last_name(step.func) in ("key_by", "union"):
        return True
    work = step.args[0].value if step.args else None
    if not isinstance(work, cst.Lambda):
        return False
    params = {param.name.value for param in work.params.params}
    for node in descend(work.body):
        if isinstance(node, cst.Call):
            func = node.func
            if isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name) and func.value.value in params:
                continue  # a method of the record
            if last_name(func) not in _PURE:
                return False
    return True


def _only_gives(call: Call) -> bool:
    """Whether a step of a data frame is given an expression, such as `frame["price"] > 0`, or a function that does nothing but give a value."""
    work = call.argument(0, "func")
    return work is not None and (
        _pure(call.node) if isinstance(work, cst.Lambda) else isinstance(work, (cst.Comparison, cst.BooleanOperation))
    )


def _of_pure(before: Any) -> bool:
    """Whether the steps that stand before in one expression are like that, too: those of a stream under a name of its own go on without this one."""
    while isinstance(before, cst.Call) and isinstance(before.func, cst.Attribute):
        if before.func.attr.value in ("map", "flat_map", "filter", "process") and not _pure(before):
            return False
        before = before.func.value
    return True
