"""A batch that is saved, counted or shown after an `awaitTermination()` that returns only when a query has ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import query_waits
from shoal.python.frame import ACTIONS, SAVES
from shoal.python.tree import Call


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.notebook:
        return  # a wait in a cell is interrupted by hand
    waits = [
        wait
        for wait in module.named("awaitTermination", "awaitAnyTermination")
        if not wait.node.args and query_waits.endless(module, wait) and not _stopped(module, wait)
    ]
    for wait in waits:
        after = module.flow(wait.function).after(module.tree.statements[wait.spot.statement].node)
        behind = (call for call in module.named(*SAVES, *ACTIONS) if _is_batch(module, call) and _behind(module, wait, call, after))
        work = min(behind, key=lambda call: call.spot.statement, default=None)
        if work is not None:
            message = "this is never done: the wait above returns only when the query there has ended, and it does not end (foreachBatch for what belongs to each batch, a job of its own for the rest)"
            related = [(module.call_place(wait), "waits for ever")]
            yield context.finding(message, module.call_place(work), related, covers=[module.covers(work)])
            return


def _is_batch(module: Any, call: Call) -> bool:
    """Whether a call writes, counts or shows a frame: one of batches, as on a stream it would be refused."""
    kind = "spark.BatchWriter" if call.name in SAVES else "spark.DataFrame"
    return bool(module.receiver_type(call) == kind)


def _behind(module: Any, wait: Call, call: Call, after: set[int]) -> bool:
    return (
        call.function is wait.function
        and call.spot.statement > wait.spot.statement
        and id(module.tree.statements[call.spot.statement].node) in after
        and not call.spot.cleanup
        and not wait.spot.may_give_way(call.spot)
        and all(arm in call.spot.arms for arm in wait.spot.arms)
    )


def _stopped(module: Any, wait: Call) -> bool:
    """Whether something else in the program may end the query: a handler of signals, a thread, a listener."""
    return "signal" in module.raw or any(call.function is not wait.function for call in module.named("stop"))
