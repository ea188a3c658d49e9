"""`register_event_time_timer(ctx.timer_service().current_processing_time() + 60000)`: it fires by watermarks, which know nothing of the clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, Spot, dotted

_NOW = frozenset(
    {"time.time", "time.time_ns", "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "pendulum.now"}
)
_AS_NUMBER = ("int", "round", "float")
_DEEP = 6


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("register_event_time_timer"):
        given = call.argument(0, "timestamp")
        function = call.function
        if given is None or function is None or not any(one.engine == "flink" for one in module.contexts.of(function)):
            continue
        clock = _clock(module, given, call.spot, 0)
        if clock is not None and not _stamped_by_clock(module):
            message = "this timer goes by event time and is set by the clock: it fires when a watermark passes that time, at once or hours late where records are read again, and never while none come"
            related = [(module.call_place(clock), "the clock")] if clock.spot.statement != call.spot.statement else []
            yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])


def _stamped_by_clock(module: Any) -> bool:
    """Whether records have the time of the clock for their own."""
    return any(_is_clock(module, call) for function in module.functions if function.name == "extract_timestamp" for call in function.calls)


def _clock(module: Any, node: Any, spot: Spot, level: int) -> Call | None:
    """The call of a clock that a time is put together of, with numbers alone; None where anything else is in it."""
    if level > _DEEP:
        return None
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, spot)]
        return _clock(module, found[0].node, found[0].spot, level + 1) if len(found) == 1 and found[0].kind == "assign" else None
    if isinstance(node, cst.BinaryOperation):
        left, right = (_clock(module, part, spot, level + 1) for part in (node.left, node.right))
        sides = ((left, node.left), (right, node.right))
        return (left or right) if all(clock is not None or _plain(module, part, spot) for clock, part in sides) else None
    if not isinstance(node, cst.Call):
        return None
    if len(node.args) == 1 and isinstance(node.func, cst.Name) and node.func.value in _AS_NUMBER:
        return _clock(module, node.args[0].value, spot, level + 1)
    if isinstance(node.func, cst.Attribute) and node.func.attr.value == "timestamp" and not node.args:
        return _clock(module, node.func.value, spot, level + 1)
    call = next((one for one in module.calls if one.node is node), None)
    return call if call is not None and _is_clock(module, call) else None


def _is_clock(module: Any, call: Call) -> bool:
    return call.name == "current_processing_time" or module.qualified(call) in _NOW


def _plain(module: Any, node: Any, spot: Spot) -> bool:
    """A number, or what somebody has set: `60 * 1000`, `self.timeout`, `GAP_MS`."""
    if isinstance(node, cst.BinaryOperation):
        return _plain(module, node.left, spot) and _plain(module, node.right, spot)
    if isinstance(module.constant(node, spot), (int, float)):
        return True
    return (isinstance(node, cst.Attribute) and dotted(node).startswith("self.")) or (isinstance(node, cst.Name) and node.value.isupper())
