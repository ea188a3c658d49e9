"""A `process` without a `yield` and without a `return` of anything, whose output another step takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.flow import written_out
from shoal.python.tree import ClassInfo, Function, is_none, last_name


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    steps = dofns.pipeline(module)
    said: set[int] = set()
    for call in module.calls:
        before = next(dofns.steps_before(module, call, steps), None) if id(call.node) in steps else None
        if before is None or last_name(before[0].func) != "ParDo" or not before[0].args or id(before[0]) not in steps:
            continue
        if steps[id(before[0])].methods:
            continue  # outputs of their own
        cls = module.class_of(before[0].args[0].value, before[1])
        process = cls.methods.get("process") if cls is not None and _has_no_other_way(module, cls) else None
        if process is None or id(process) in said or not _emits_nothing(process):
            continue
        said.add(id(process))
        message = f"process returns nothing and yields nothing: no element comes to {dofns.shown(call)}, which takes what {cls.name if cls else ''} emits"
        yield context.finding(message, module.def_place(process), [(module.call_place(call), "is given nothing")])


def _has_no_other_way(module: Any, cls: ClassInfo) -> bool:
    """Whether elements leave a class by `process` alone: not when a bundle ends, nor from a timer's callback, or from a class of somebody else's."""
    bases = module.bases(cls)
    return (
        bool(bases)
        and all(base.startswith("apache_beam.") and base.endswith("DoFn") for base in bases)
        and "finish_bundle" not in cls.methods
        and not any(function.decorators for function in cls.methods.values())
    )


def _emits_nothing(function: Function) -> bool:
    """Whether no way through a function gives an element."""
    if function.yields or function.decorators or not written_out(function):
        return False
    return all(value is None or is_none(value) for value, _ in function.returns)
