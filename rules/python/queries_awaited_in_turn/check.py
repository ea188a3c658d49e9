"""`q1.awaitTermination(); q2.awaitTermination()`: the second is reached only after the first has ended."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    groups: dict[int, list[Call]] = {}
    for call in module.named("awaitTermination"):
        if call.node.args:
            continue
        if {obj.type for obj in module.receivers(call)} == {"spark.StreamingQuery"}:
            groups.setdefault(id(call.function), []).append(call)
    for calls in groups.values():
        first = calls[0]
        nodes = {id(obj.node) for obj in module.receivers(first)}
        for call in calls[1:]:
            if {id(obj.node) for obj in module.receivers(call)} & nodes or any(arm not in call.spot.arms for arm in first.spot.arms):
                continue
            message = "this query is awaited only after the one above has ended: if it fails meanwhile, nobody sees it; use spark.streams.awaitAnyTermination()"
            yield context.finding(
                message, module.call_place(call), [(module.call_place(first), "waits here for ever")], covers=[module.covers(call)]
            )
            break
