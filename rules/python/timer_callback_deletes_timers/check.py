"""`on_timer` with a loop of `delete_*_timer`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_DELETES = ("delete_processing_time_timer", "delete_event_time_timer")
_REGISTERS = ("register_processing_time_timer", "register_event_time_timer")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("timer"):
        names = {call.name for call in function.calls}
        for call in function.calls:
            if call.name not in _DELETES or not (call.spot.in_loop() or call.spot.scope.kind == "comprehension"):
                continue
            again = "" if names & set(_REGISTERS) else ", and none is registered again: the key falls silent"
            message = f"deletes timers in a loop {where.told()}: those that have not fired yet never will{again}"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])
            break
