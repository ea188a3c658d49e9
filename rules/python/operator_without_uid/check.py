"""A source, sink or keyed process function without `.uid(…)`, once a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call

_STATEFUL = ("process", "from_source", "sink_to", "reduce", "aggregate")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if not module.named("enable_checkpointing", "set_checkpoint_interval"):
        return
    for call in module.named(*_STATEFUL):
        types = {obj.type for obj in module.receivers(call)}
        if not types & {"flink.Environment", "flink.DataStream", "flink.KeyedStream", "flink.WindowedStream", "flink.ConnectedStreams"}:
            continue
        if call.name == "process" and not types & {"flink.KeyedStream", "flink.WindowedStream"}:
            continue
        if _identified(module, call):
            continue
        message = f"{call.name} has no uid: Flink names its state after the place in the graph, and a savepoint does not fit the job any more once an operator is added"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
        return


def _identified(module: Any, call: Call) -> bool:
    """Whether `.uid(…)` follows, in the chain or on the name it is assigned to."""
    for other in module.named("uid", "set_uid_hash"):
        node = other.receiver_node
        while isinstance(node, (cst.Call, cst.Attribute)):
            if node is call.node:
                return True
            node = node.func if isinstance(node, cst.Call) else node.value
        if isinstance(node, cst.Name) and call.use == "assigned":
            return True
    return False
