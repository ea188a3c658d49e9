"""`CountTrigger` on a window of time: it takes the place of the trigger that fires at the window's end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, chain, dotted


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("trigger"):
        counted = _counted(module, call.argument(0, "trigger"), call.spot)
        before = chain(call)
        window = before.get("window") or before.get("window_all")
        assigner = window.argument(0, "window_assigner") if window is not None else None
        if counted is None or window is None or not _is_of_time(module, assigner, call.spot):
            continue
        if module.constant(counted, call.spot) == 1:
            continue  # which fires with each record
        message = "nothing fires at the end of this window: the trigger takes the place of the one that does, and the records that come after the last full count are thrown away with the window"
        yield context.finding(message, module.call_place(call), [(module.call_place(window), "ends unseen")], covers=[module.covers(call)])


def _counted(module: Any, node: Any, spot: Any) -> Any:
    """How many records a trigger waits for, where it does nothing but count them."""
    name = _called(module, node, spot)
    if name in ("PurgingTrigger", "PurgingTrigger.of"):
        return _counted(module, _first(node), spot)
    return _first(node) if name in ("CountTrigger", "CountTrigger.of") else None


def _is_of_time(module: Any, node: Any, spot: Any) -> bool:
    return _called(module, node, spot).partition(".")[0].endswith("TimeWindows")


def _called(module: Any, node: Any, spot: Any) -> str:
    """What PyFlink calls what is called here; empty for anything else."""
    if not isinstance(node, cst.Call):
        return ""
    name = module.qualified(Call(node, dotted(node.func), spot, None, ""))
    return name.rpartition("pyflink.datastream.")[2].removeprefix("window.") if name.startswith("pyflink.datastream.") else ""


def _first(node: Any) -> Any:
    return node.args[0].value if node.args else None
