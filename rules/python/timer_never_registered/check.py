"""`on_timer` in a class of a module in which nothing registers a timer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import dotted

_REGISTERS = ("register_event_time_timer", "register_processing_time_timer")
_BY_NAME = pattern(rf"[\"'](?:{'|'.join(_REGISTERS)})[\"']")  # for getattr()


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    registering = module.named(*_REGISTERS)
    owners = [call.function.cls if call.function is not None else None for call in registering]
    # others than functions of Flink's may register a timer for whoever asks them to
    if any(cls is None or module.contexts.classes.get(id(cls)) != "flink" for cls in owners):
        return
    if not registering and (module.tree.attribute_names & set(_REGISTERS) or _BY_NAME.search(module.raw)):
        return
    for function, where in module.contexts.running("timer"):
        if where.engine != "flink" or where.through or function.name != "on_timer" or function.cls is None:
            continue
        if all(_does_nothing(line) for line in function.body.body):
            continue
        if len(module.parents(function.cls)) > 1 or any(
            function.cls in module.parents(other) for other in module.classes if other is not function.cls
        ):
            continue
        if any(cls in module.parents(function.cls) for cls in owners):
            continue
        message = f"{function.cls.name} registers no timer, so on_timer never runs: what it should emit or clear stays where it is"
        yield context.finding(message, module.def_place(function))


def _does_nothing(line: Any) -> bool:
    """`pass`, a text, `raise NotImplementedError`, or a `return` of nothing."""
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Return):
        value = small.value
        return value is None or (isinstance(value, (cst.List, cst.Tuple)) and not value.elements) or dotted(value) == "None"
    return isinstance(small, (cst.Pass, cst.Raise)) or (isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString))
