"""Each record of a key sets a timer of its own, none is deleted, and the first that fires clears what later records count on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.timers import ELEMENTS, ROUNDED, kept_for_records, unasked
from shoal.python.tree import Call

_DELETES = ("delete_processing_time_timer", "delete_event_time_timer")
_STATE_READ = pattern(r"\.(?:value|get|contains|is_empty)\(|self\.")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for callback, cls in unasked(module):
        own = [call for call in module.calls if call.function is not None and call.function.cls is cls]
        if any(call.name in _DELETES for call in own):
            continue
        cleared = next((call for call in callback.calls if call.name == "clear" and not call.spot.conditional and not call.node.args), None)
        set_at = next((call for call in own if call.name == "register_processing_time_timer" and _each_time(module, call)), None)
        if cleared is None or set_at is None or kept_for_records(module, cls, cleared) is None:
            continue
        message = (
            "clears what records after the one that set this timer have kept: each record sets a timer and none is deleted, so the state goes a fixed "
            "time after the first record, not after the last; keep the time of the last timer in state, and compare it with timestamp"
        )
        yield context.finding(message, module.call_place(cleared), [(module.call_place(set_at), "each record sets a timer")])


def _each_time(module: Any, call: Call) -> bool:
    """Whether each record sets the timer, at a time of its own."""
    function = call.function
    if function is None or function.name not in ELEMENTS or not call.node.args or call.spot.in_loop():
        return False
    if call.spot.conditional or not _from_now(module, call.node.args[0].value, call, 0):
        return False
    # a return that hangs on state may leave all but the first record out
    before = [spot for _, spot in function.returns if spot.statement < call.spot.statement]
    return not any(_hangs_on_state(module, arm.test, spot, 0) for spot in before for arm in spot.arms if arm.test is not None)


def _from_now(module: Any, node: Any, call: Call, level: int) -> bool | None:
    """Whether a time is counted from the clock, so that each record has another; None where it is rounded.

    A time from the record may be the same for all records of a key: the end of the window that they were made in.
    """
    if isinstance(node, cst.BinaryOperation):
        if isinstance(node.operator, ROUNDED):
            return None
        sides = [_from_now(module, side, call, level + 1) for side in (node.left, node.right)]
        return None if None in sides else any(sides)
    if isinstance(node, cst.Name) and level < 5:
        found = [
            _from_now(module, binding.node, call, level + 1)
            for binding, _ in module.lookup(node.value, call.spot)
            if binding.kind == "assign"
        ]
        return None if None in found else bool(found) and all(found)
    if isinstance(node, cst.Call):
        func = node.func
        if isinstance(func, cst.Name) and func.value in ("int", "round") and node.args:
            return _from_now(module, node.args[0].value, call, level + 1)
        return isinstance(func, cst.Attribute) and func.attr.value in ("current_processing_time", "time")
    return False


def _hangs_on_state(module: Any, test: Any, spot: Any, level: int) -> bool:
    if isinstance(test, cst.Name):
        return level < 4 and any(
            binding.kind == "assign" and _hangs_on_state(module, binding.node, binding.spot, level + 1)
            for binding, _ in module.lookup(test.value, spot)
        )
    if isinstance(test, cst.CSTNode):
        if _STATE_READ.search(module.tree.node.code_for_node(test)):
            return True
        return any(_hangs_on_state(module, child, spot, level) for child in test.children if isinstance(child, cst.BaseExpression))
    return False
