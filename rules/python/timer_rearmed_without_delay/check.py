"""`on_timer` that registers a timer at the current time or at its own timestamp."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, Function


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("timer"):
        if where.engine != "flink" or (where.through and not _called_by(module, function, where.entry)):
            continue
        for call in function.calls:
            if (
                call.name not in ("register_processing_time_timer", "register_event_time_timer")
                or not call.node.args
                or call.spot.conditional
            ):
                continue
            if _now(module, call.node.args[0].value, call, function, 0):
                message = (
                    "registers a timer that is due at once from within a timer: the callback runs in a loop, and records and barriers wait"
                )
                yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _called_by(module: Any, helper: Function, callback: Function) -> bool:
    """Whether a callback calls a helper itself, whatever it has found."""
    return any(site.function is callback and not site.spot.conditional for site in module.call_sites(helper))


def _now(module: Any, node: Any, call: Call, function: Function, level: int) -> bool:
    """Whether an expression is surely the timer's own timestamp or the current time."""
    if level > 5:
        return False
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        return module.constant(node.right, call.spot) in (0, 1) and _now(module, node.left, call, function, level + 1)
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Attribute) and node.func.attr.value in (
            "current_processing_time",
            "current_watermark",
            "timestamp",
        )
    if isinstance(node, cst.Name):
        bindings = module.lookup(node.value, call.spot)
        if len(bindings) != 1:
            return False
        binding = bindings[0][0]
        if binding.kind == "param":
            plain = function.given_names
            return function.name == "on_timer" and bool(plain) and plain[0] == node.value
        return binding.kind == "assign" and _now(module, binding.node, call, function, level + 1)
    return False
