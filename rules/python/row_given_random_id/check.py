"""`withColumn("id", expr("uuid()"))` on a stream whose sink may get a batch twice. Spark seeds `uuid()` anew for each run of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call, descend, last_name

_UUID = pattern(r"(?i)\buuid\(\s*\)")
# Sinks that take a batch again as if it were another one; files, Delta and Iceberg know it by its number.
_AGAIN = {"kafka": "Kafka", "foreachBatch": "foreachBatch", "foreach": "foreach"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("select", "selectExpr", "withColumn", "withColumns"):
        made = _random(module, call)
        sinks = module.frames.sinks_of(call) if made is not None else []
        sink = next((one for one in sinks if one.format in _AGAIN), None)
        if made is None or sink is None or not module.frames.streams(call.receiver_node, call.spot):
            continue
        message = f"when a batch is done again after a failure uuid() gives its rows other ids: {_AGAIN[sink.format]} gets them twice, and nothing tells that they are the same (make the id of what the record is: sha2 of its key, or of topic, partition and offset)"
        yield context.finding(message, module.place(made, call.spot), [(module.call_place(sink.calls[_by(sink)]), "the sink")])
        return


def _by(sink: Any) -> str:
    return sink.format if sink.format in sink.calls else "format"


def _random(module: Any, call: Call) -> Any:
    """The `uuid()` in the columns that a step makes."""
    for arg in call.node.args:
        for part in (arg.value, *descend(arg.value)):
            if isinstance(part, cst.Call) and last_name(part.func) == "expr" and part.args and _says(module, part.args[0].value, call):
                return part
        if call.name == "selectExpr" and _says(module, arg.value, call):
            return arg.value
    return None


def _says(module: Any, node: Any, call: Call) -> bool:
    return _UUID.search(module.string(node, call.spot)) is not None
