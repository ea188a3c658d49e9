"""`window(GlobalWindows.create())` whose stream is given a function, and no trigger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, chain, dotted

_FUNCTIONS = ("process", "apply", "reduce", "aggregate", "sum", "min", "max", "min_by", "max_by")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only where the whole chain stands in one place: a stream that is kept may be given a trigger later."""
    module = context.module
    for call in module.named(*_FUNCTIONS):
        before = chain(call)
        window = before.get("window") or before.get("window_all")
        assigner = window.argument(0, "window_assigner") if window is not None else None
        if window is None or "trigger" in before or not _is_global(module, assigner, window.spot):
            continue
        message = f"{call.name}() is never called: a global window has no end, and without a trigger nothing fires it; its records stay in state for ever"
        yield context.finding(message, module.call_place(window), covers=[module.covers(window)])


def _is_global(module: Any, node: Any, spot: Any) -> bool:
    if not isinstance(node, cst.Call):
        return False
    name: str = module.qualified(Call(node, dotted(node.func), spot, None, ""))
    return name.startswith("pyflink.datastream.") and name.endswith("GlobalWindows.create")
