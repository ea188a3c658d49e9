"""`start()` in each round of an endless loop that neither waits for the query nor stops it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import endless
from shoal.python.tree import Call

_ENDS = ("awaitTermination", "awaitAnyTermination", "processAllAvailable", "awaitTerminationOrTimeout", "stop")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A loop that looks at queries, or asks before it starts one, knows what it does."""
    module = context.module
    if module.tree.attribute_names & {"isActive", "active"}:
        return
    for call in module.named("start", "toTable"):
        loop = call.spot.loop
        if loop is None or not endless(loop) or "spark.Writer" not in {obj.type for obj in module.receivers(call)}:
            continue
        if call.use not in ("dropped", "assigned") or call.spot.sometimes or any(_within(other, loop) for other in module.named(*_ENDS)):
            continue
        message = (
            "each round starts this query again: with a checkpoint location it stops the one before, at whatever that was doing, "
            "with a name it is refused, and all others run on side by side (start it once, before the loop)"
        )
        yield context.finding(message, module.call_place(call))


def _within(call: Call, loop: Any) -> bool:
    return any(one is loop for one in call.spot.loops)
