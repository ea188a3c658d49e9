"""`on_timer` in a class of a module in which nothing registers a timer."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_REGISTERS = ("register_event_time_timer", "register_processing_time_timer")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    registering = module.named(*_REGISTERS)
    owners = [call.function.cls if call.function is not None else None for call in registering]
    # others than functions of Flink's may register a timer for whoever asks them to
    if any(cls is None or module.contexts.classes.get(id(cls)) != "flink" for cls in owners):
        return
    if not registering and module.tree.attribute_names & set(_REGISTERS):
        return
    for function, where in module.contexts.running("timer"):
        if where.engine != "flink" or where.through or function.name != "on_timer" or function.cls is None:
            continue
        body = function.body.body
        if len(body) == 1 and isinstance(body[0], cst.SimpleStatementLine) and isinstance(body[0].body[0], (cst.Pass, cst.Raise)):
            continue
        if len(module.parents(function.cls)) > 1 or any(
            function.cls in module.parents(other) for other in module.classes if other is not function.cls
        ):
            continue
        if any(cls in module.parents(function.cls) for cls in owners):
            continue
        message = f"{function.cls.name} registers no timer, so on_timer never runs: what it should emit or clear stays where it is"
        yield context.finding(message, module.def_place(function))
