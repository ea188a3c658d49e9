"""`batch.write.format("jdbc").mode("append")` without a `save()`: a writer only writes with its last call."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import Call
from shoal.python.values import names

# Methods of a DataFrameWriter that give the writer back.
_DETAILS = names("format mode option options partitionBy bucketBy sortBy clusterBy")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if "spark" not in module.raw:
        return
    for call in module.named(*_DETAILS):
        if call.use != "dropped" and not (call.use == "assigned" and clients.unread(module, call)):
            continue
        if _of_writer(call) and not call.spot.expects_error():
            message = "nothing is written: the writer is set up, and no save(), saveAsTable(), parquet() or the like follows"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _of_writer(call: Call) -> bool:
    """Whether a chain of a writer's own methods, two of them at least, begins with a frame's `write`."""
    node, steps = call.receiver_node, 1
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _DETAILS:
        node, steps = node.func.value, steps + 1
    return steps > 1 and isinstance(node, cst.Attribute) and node.attr.value == "write"
