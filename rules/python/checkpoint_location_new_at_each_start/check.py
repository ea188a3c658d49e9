"""A checkpoint location with `uuid4()`, `time()`, `now()` or `mkdtemp()` in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.anew import anew
from shoal.python.tree import Call
from shoal.templates import spark

_KEY = "spark.sql.streaming.checkpointlocation"
_LOOKS = frozenset({"memory", "console", "noop"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    local = any(spark.is_local(job, block) for block in job.select("spark", ("job", "writer")))
    for call, node in _locations(module):
        what = anew(module, node, call.spot)
        if what:
            message = f"no start finds the offsets and the state of the last one: the checkpoint location has {what} in its name"
            if what == "a new folder":
                message = (
                    "no start finds the offsets and the state of the last one: the checkpoint location is a new temporary folder each time"
                )
            yield context.finding(message, module.place(node, call.spot), confidence="low" if local else "", covers=[module.covers(call)])


def _locations(module: Any) -> Iterator[tuple[Call, Any]]:
    for call in module.named("option", "options", "start", "toTable"):
        if call.name == "option":
            key, node = call.argument(0, "key"), call.argument(1, "value")
            if key is None or module.string(key, call.spot).lower() != "checkpointlocation":
                continue
        else:
            node = call.argument(99, "checkpointLocation")
        if node is not None and module.receiver_type(call) == "spark.Writer" and not _only_looks(module, call):
            yield call, node
    for call in module.named("set", "config"):
        key, node = call.argument(0, "key"), call.argument(1, "value")
        if key is not None and node is not None and module.string(key, call.spot).lower() == _KEY:
            yield call, node


def _only_looks(module: Any, call: Call) -> bool:
    """Whether the query of this call shows its rows, or keeps them in memory."""
    writers = {id(obj.root) for obj in module.receivers(call)} | {id(obj.node) for obj in module.receivers(call)}
    return any(
        module.string(one.argument(0, "source"), one.spot).lower() in _LOOKS
        for one in module.named("format")
        if one.node.args and any(id(obj.node) in writers for obj in module.receivers(one))
    )
