"""A consumer of a group without `close()`, `stop()` or `with` in the module."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook or module.tree.attribute_names & {"close", "stop"}:
        return
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    for call, consumer in clients.made(module, clients.CONSUMERS):
        block = blocks.get(module.call_place(call).span)
        if block is None or job.written(block, "group.id") is None or call.use in ("entered", "returned", "argument", "yielded"):
            continue
        if not clients.record_loops(module, consumer) or clients.uses(module, consumer, "close", "stop", "__exit__", "unsubscribe"):
            continue
        if any(
            other.receiver_node is not None and not module.receivers(other) and not module.qualified(other)
            for other in module.named("close", "stop")
        ):
            continue
        message = "never closed: the group notices only after session.timeout.ms that this member is gone, and its partitions are read by nobody until then"
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
