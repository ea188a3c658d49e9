"""Waits that nothing bounds, in code an engine runs for each record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import blocking
from shoal.python.contexts import TASK
from shoal.python.tree import Call
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, where in module.contexts.calls(*TASK, "foreach", "foreach-batch", "close"):
        found = blocking.waiting(module, call) or blocking.process(module, call)
        if found is None:
            continue
        if where.kind == "foreach-batch" and found.kind == "wait" and "queued message" in found.what:
            continue  # flushing a producer before the batch counts as done is right
        if where.kind == "foreach-batch" and _for_own_threads(module, call):
            continue  # the batch is not done before what it handed to its own threads is
        if where.kind == "close":
            if "a thread" not in found.what and "a future" not in found.what:
                continue
            message = f"{found.what} waits without a timeout {where.told()}: a worker that does not stop keeps the whole task from stopping"
            yield context.finding(message, module.call_place(call), severity="info", covers=[module.covers(call)])
            continue
        if where.kind == "dofn" and beam.unbounded(job, module) is False:
            continue  # of a batch each bundle is waited for, whatever it does
        message = f"{found.what} waits without a timeout {where.told()}: if it never comes, checkpoints never pass and a cancel is not seen"
        # what a pool of the operator's own runs may well have timeouts of its own, and most programs come to an end
        sure = "low" if _for_own_threads(module, call) or blocking.brief(module, call) else "medium" if found.kind == "process" else ""
        yield context.finding(message, module.call_place(call), confidence=sure, covers=[module.covers(call)])


def _for_own_threads(module: Any, call: Call) -> bool:
    """Whether a call waits for what was given to a pool: by a future of it, or for several where the function itself gave them."""
    several = (
        call.name in ("wait", "as_completed") and call.function is not None and any(one.name == "submit" for one in call.function.calls)
    )
    return several or call.name == "map" or any(made.call == "submit" for made in module.receivers(call))
