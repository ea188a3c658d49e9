"""`collect()` and `toPandas()` of a whole micro-batch."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.frames_of_batches import COLLECTS, FEW


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, _ in module.contexts.running("foreach-batch"):
        for one in module.frames.batch_calls(function):
            collects = one.call.name in COLLECTS or one.kind == "collect"
            if collects and not any(at.op in FEW for frame in one.frames for at in frame.all()):
                message = (
                    f"{one.call.name}() brings the whole batch to the driver: the first batch, or the one after an outage, may hold all that is "
                    "waiting; write it from the executors, or bound the batch (maxOffsetsPerTrigger)"
                )
                yield context.finding(message, module.call_place(one.call), covers=[module.covers(one.call)])
                break
