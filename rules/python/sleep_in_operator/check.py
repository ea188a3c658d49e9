"""`time.sleep` where a task thread runs it: records, timers and checkpoint barriers wait behind it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import blocking
from shoal.python.contexts import TASK
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, where in module.contexts.calls(*TASK, "foreach", "step"):
        found = blocking.sleeping(module, call)
        if found is None:
            continue
        looped = call.spot.in_loop()
        if found.seconds is not None and found.seconds < context.options["seconds"] and not looped:
            continue
        if found.seconds == 0 or (where.kind == "dofn" and beam.unbounded(job, module) is False):
            continue
        length = f" for {blocking.seconds(found.seconds)}" if found.seconds is not None else ""
        again = ", and again on every turn of the loop" if looped else ""
        what = "no record" if where.kind == "step" else "no record, timer or checkpoint barrier"
        message = f"sleeps{length}{again} {where.told()}: {what} gets past it meanwhile"
        confidence = "" if found.seconds is not None else "medium"
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])
