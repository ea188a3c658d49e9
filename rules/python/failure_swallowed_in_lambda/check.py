"""`except Exception: print(…)` in the loop of a Lambda handler over the records of its event."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import handlers, lambdas

# Answers that name what failed.
_ANSWERED = pattern(r"batchItemFailures|process_partial_response")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    loops = lambdas.record_loops(module) if not _ANSWERED.search(module.raw) else set()
    for call in module.calls if loops else ():
        handler = handlers.lets_go(module, call, loops)
        if handler is not None and not handlers.notes(handler):
            message = "a record that fails here is logged at best: the handler returns, Lambda takes the whole batch for done and moves its offset on, and the record is never tried again (raise, answer with batchItemFailures, or send it elsewhere)"
            yield context.finding(message, module.handler_place(handler), [(module.call_place(call), "may fail")])
            return
