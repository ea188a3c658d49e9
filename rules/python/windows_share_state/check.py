"""A timer at the end of the window that a record falls into, and one state for the windows of a key, which the timer of the first clears."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.timers import ELEMENTS, ROUNDED, kept_for_records, unasked
from shoal.python.tree import Call, descend

# State that holds one thing for a key; in a map each window may have its own.
_ONE = ("flink.ValueState", "flink.ListState", "flink.ReducingState", "flink.AggregatingState")
_DEEP = 4


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for callback, cls in unasked(module):
        own = [call for call in module.named("register_event_time_timer") if call.function is not None and call.function.cls is cls]
        timers = [call for call in own if call.function.name in ELEMENTS]
        if (
            len(own) != 1
            or not timers
            or timers[0].spot.conditional
            or not _rounded(module, timers[0].argument(0, "timestamp"), timers[0], 0)
        ):
            continue
        for cleared in callback.calls:
            if cleared.name != "clear" or cleared.spot.conditional or cleared.node.args or module.receiver_type(cleared) not in _ONE:
                continue
            kept = kept_for_records(module, cls, cleared)
            if kept is None or kept.spot.conditional or kept.function is not timers[0].function:
                continue
            message = (
                "records of the next window are kept in the same state: they come before the watermark has passed the end of this one, whose timer then counts them in "
                "and clears them; keep a MapState by the end of the window, or use a window"
            )
            related = [(module.call_place(timers[0]), "the end of the window"), (module.call_place(cleared), "cleared for all windows")]
            yield context.finding(message, module.call_place(kept), related)
            break


def _rounded(module: Any, node: Any, call: Call, level: int) -> bool:
    """Whether a time is put together with a rounded one: the end of the window that a record falls into."""
    if node is None or level > _DEEP:
        return False
    for at in descend(node):
        if isinstance(at, cst.BinaryOperation) and isinstance(at.operator, ROUNDED):
            return True
        if isinstance(at, cst.Name):
            found = [binding.node for binding, _ in module.lookup(at.value, call.spot) if binding.kind == "assign"]
            if len(found) == 1 and _rounded(module, found[0], call, level + 1):
                return True
    return False
