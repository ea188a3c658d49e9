"""Records that a DoFn parks in state: with no timer, or with one that each record puts off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import Call, Function, descend, key_of
from shoal.templates import beam

_CLOCKS = ("time", "now", "utcnow")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if beam.unbounded(job, module) is False:
        return
    for cls in module.classes:
        if module.contexts.classes.get(id(cls)) != "beam" or "process" not in cls.methods:
            continue
        process = cls.methods["process"]
        timers = dofns.cells(module, cls, "TimerSpec")
        for cell in dofns.cells(module, cls, "BagStateSpec", "ReadModifyWriteStateSpec"):
            if cell.shared:
                continue
            parked = next((call for call in cell.called("add", "write") if _parks(module, call, process)), None)
            if parked is None:
                continue
            if not timers and _goes_on(module, cell, parked, process):
                message = f"what is kept in `{cell.name}` goes on only when a further record of its key comes: when none does, it is never put out and never freed; set a timer that flushes it"
                yield context.finding(message, module.call_place(parked), covers=[module.covers(parked)])
                break
            put_off = _put_off(module, cell, timers, process)
            if put_off is not None:
                message = f"each record puts this timer off: as long as records of a key come more often than that, `{cell.name}` is not flushed and grows; set it with the first record that is kept"
                yield context.finding(
                    message, module.call_place(put_off), [(module.call_place(parked), "kept here")], covers=[module.covers(put_off)]
                )
                break


def _parks(module: Any, call: Call, process: Function) -> bool:
    """Whether a call keeps the record itself: what `process` is given, or a part of it that is no key or time."""
    if call.function is not process or not call.node.args:
        return False
    given = call.node.args[0].value
    element = next(iter(process.given_names), "")
    if _is_value(given, element):
        return True
    if not isinstance(given, cst.Name):
        return False
    if given.value == element:
        return True
    found = [binding for binding, _ in module.lookup(given.value, call.spot)]
    return bool(found) and all(
        (binding.kind == "unpack" and binding.detail == 1 and isinstance(binding.node, cst.Name) and binding.node.value == element)
        or (binding.kind == "assign" and _is_value(binding.node, element))
        for binding in found
    )


def _is_value(node: Any, element: str) -> bool:
    """`element[1]`, of the key and the value that a DoFn with state is given."""
    if not isinstance(node, cst.Subscript) or not isinstance(node.value, cst.Name) or node.value.value != element:
        return False
    key = key_of(node)
    return isinstance(key, cst.Integer) and key.value == "1"


def _goes_on(module: Any, cell: dofns.Cell, parked: Call, process: Function) -> bool:
    """Whether the kept records are put out under a condition, and nothing is put out where one is kept."""
    cleared = next((call for call in cell.called("clear") if call.function is process and call.spot.conditional), None)
    if cleared is None:
        return False
    ways = {(arm.group, arm.index) for arm in cleared.spot.arms}
    out = [statement.spot for statement in module.tree.statements if statement.spot.function is process and _puts_out(statement.node)]
    with_it = [spot for spot in out if ways & {(arm.group, arm.index) for arm in spot.arms}]
    here = {(arm.group, arm.index) for arm in parked.spot.arms}
    beside = [spot for spot in out if spot not in with_it and {(arm.group, arm.index) for arm in spot.arms if arm.kind != "loop"} <= here]
    return bool(with_it) and not beside


def _puts_out(node: Any) -> bool:
    if isinstance(node, cst.Return):
        return node.value is not None
    return isinstance(node, (cst.Expr, cst.Assign)) and isinstance(node.value, cst.Yield)


def _put_off(module: Any, cell: dofns.Cell, timers: list[dofns.Cell], process: Function) -> Call | None:
    """Where the only timer, one of the clock, is set by each record, counted from now, and its callback flushes the state."""
    flushed = any(call.function is not process and "timer" in module.contexts.kinds(call.function) for call in cell.called("clear"))
    if len(timers) != 1 or timers[0].shared or not flushed or cell.made.name != "BagStateSpec":
        return None
    domain = timers[0].made.argument(1, "time_domain")
    if not (isinstance(domain, cst.Attribute) and domain.attr.value == "REAL_TIME") or timers[0].called("clear"):
        return None
    set_at = [call for call in timers[0].called("set") if call.function is process]
    if len(set_at) != 1 or set_at[0].spot.conditional or set_at[0].spot.in_loop() or not set_at[0].node.args:
        return None
    early = any(spot.statement < set_at[0].spot.statement for _, spot in process.returns)
    return None if early or not _from_now(module, set_at[0].node.args[0].value, set_at[0].spot, 0) else set_at[0]


def _from_now(module: Any, node: Any, spot: Any, level: int) -> bool:
    """Whether a time is counted from the clock, and not rounded."""
    parts = list(descend(node))
    if any(isinstance(part, (cst.FloorDivide, cst.Modulo)) for part in parts):
        return False
    for part in parts:
        if isinstance(part, cst.Call) and (
            (isinstance(part.func, cst.Attribute) and part.func.attr.value in _CLOCKS)
            or (isinstance(part.func, cst.Name) and part.func.value in _CLOCKS)
        ):
            return True
        if isinstance(part, cst.Name) and level < 3:
            found = [binding for binding, _ in module.lookup(part.value, spot) if binding.kind == "assign"]
            if found and all(_from_now(module, binding.node, binding.spot, level + 1) for binding in found):
                return True
    return False
