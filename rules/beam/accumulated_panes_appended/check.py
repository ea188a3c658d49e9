"""Windows that fire more than once, each time with all they hold, behind a write that appends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import dofns
from shoal.python.tree import Call, last_name


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    # with a pane's number in the row, the last one of a window can be told from those before
    if "PaneInfoParam" in module.raw:
        return
    steps, told = dofns.pipeline(module), set[int]()
    grouping = {id(call.node) for call in dofns.groupings(module)}
    for write in dofns.bigquery_writes(module):
        if write.has_stars or write.has_keyword("use_cdc_writes"):
            continue
        if dofns.member(module, write, 5, "write_disposition") not in ("DEFAULT", "WRITE_APPEND"):
            continue
        grouped = False
        for node, spot in dofns.steps_before(module, write, steps):
            grouped = grouped or id(node) in grouping
            if last_name(node.func) != "WindowInto":
                continue
            windows = Call(node, "WindowInto", spot, None, "")
            if grouped and id(node) not in told and (again := _again(module, windows)):
                told.add(id(node))
                place = module.place(windows.argument(2, "accumulation_mode"), spot)
                message = f"this window fires again {again}, each time with all that it holds, and each time the write appends the whole total: whoever sums the table counts records twice; use DISCARDING, or write what replaces the row before"
                yield context.finding(message, place, [(module.call_place(write), "appends")], covers=[module.covers(windows)])
            break


def _again(module: Any, windows: Call) -> str:
    """When a window that keeps what it has put out fires more than once; empty where it does not, or that cannot be known."""
    if windows.has_stars or dofns.member(module, windows, 2, "accumulation_mode") != "ACCUMULATING":
        return ""
    trigger, spot = dofns.made_by_beam(module, windows.argument(1, "trigger"), windows.spot)
    if trigger is None:
        return ""
    name = last_name(trigger.func)
    if name == "Repeatedly":
        return "whenever its trigger says so"
    made = Call(trigger, name, spot, None, "")
    if name != "AfterWatermark" or made.has_stars:
        return ""
    if made.argument(0, "early") is not None:
        return "before its end"
    lateness = windows.argument(4, "allowed_lateness")
    late = made.argument(1, "late") is not None and lateness is not None and module.constant(lateness, windows.spot) != 0
    return "for records that come late" if late else ""
