"""`cache()` or `persist()` in foreachBatch, and no `unpersist()`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frame import MICRO_BATCH


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.named("unpersist", "clearCache", "uncacheTable"):
        return
    for function, _ in module.contexts.running("foreach-batch"):
        for call in function.calls:
            if call.name not in ("cache", "persist"):
                continue
            if any(MICRO_BATCH in frame.roots() for frame in module.frames.receivers(call)):
                message = f"every batch stays in the executors' memory: {call.name}() without unpersist(), and Spark keeps what is cached for as long as the query runs"
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
