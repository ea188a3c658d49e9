"""`users = spark.read.jdbc(…).cache()` beside `stream.join(users, …)`: each batch reads the table anew, but for what is kept in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, last_name

_KEEPS = ("cache", "persist")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if "unpersist" in module.tree.attribute_names:  # somebody reads it anew
        return
    seen: set[int] = set()
    for call in module.named("join"):
        other = call.argument(0, "other")
        if other is None or call.receiver_node is None:
            continue
        table, stream = _static(module, other, call), call.receiver_node
        if table is None:
            table, stream = _static(module, call.receiver_node, call), other
        if table is None or id(table.node) in seen or not module.frames.streams(stream, call.spot):
            continue
        sinks = module.frames.sinks_of(call)
        if sinks and all(sink.ends for sink in sinks):
            continue
        seen.add(id(table.node))
        message = "what changes in this table is not seen by the stream that is joined with it: each batch would read it anew, and what is kept in memory is that of the first one, for as long as the query runs"
        yield context.finding(message, module.frames.place(table), [(module.call_place(call), "joined here")])


def _static(module: Any, node: Any, call: Call) -> Any:
    """The step that keeps a table in memory, of a frame that is read and is no stream."""
    if isinstance(node, cst.Call) and last_name(node.func) == "broadcast" and node.args:
        node = node.args[0].value
    ways = module.frames.of(node, call.spot)
    if len(ways) != 1 or not ways[0].followed or ways[0].streams or all(at.op != "read" for at in ways[0].all()):
        return None
    return next(iter(ways[0].steps(*_KEEPS)), None)
