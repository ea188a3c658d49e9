"""`extract_timestamp` that gives the record's own time where it can, and else the time of the clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import descend, dotted, last_name
from shoal.python.values import Symbol, names, options

_CLOCKS = names("time.time time.time_ns datetime.datetime.now datetime.datetime.utcnow")
# What an expression may name that holds nothing of the record.
_NEUTRAL = names("int float round time datetime timezone pytz UTC utc dt")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function in module.functions:
        if function.name != "extract_timestamp" or function.cls is None:
            continue
        if not any(base.startswith("pyflink.") and base.endswith("TimestampAssigner") for base in module.bases(function.cls)):
            continue
        given = [(part, spot) for node, spot in function.returns if node is not None for part in _parts(node)]
        clocks = [(node, spot) for node, spot in given if _is_clock(module, node, spot)]
        if clocks and len(clocks) < len(given):
            node, spot = clocks[-1]  # what is left for all that could not be read
            message = (
                "a record without a readable time of its own gets that of the clock: with it the watermark goes on to now, and records that are older than "
                "its bound come too late for their windows (give the second parameter, the time that Kafka has for it, or leave such records out before)"
            )
            yield context.finding(message, module.place(node, spot))


def _parts(node: Any) -> Iterator[Any]:
    """What an expression may give: each side of a condition and of an `or`."""
    if isinstance(node, cst.IfExp):
        yield from _parts(node.body)
        yield from _parts(node.orelse)
    elif isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):
        yield from _parts(node.left)
        yield from _parts(node.right)
    else:
        yield node


def _is_clock(module: Any, node: Any, spot: Any) -> bool:
    """Whether an expression is made of the time of the clock, and of nothing of the record."""
    parts = list(descend(node))
    members = {
        id(one.attr if isinstance(one, cst.Attribute) else one.keyword) for one in parts if isinstance(one, (cst.Attribute, cst.Arg))
    }
    if any(isinstance(one, cst.Name) and one.value not in _NEUTRAL and id(one) not in members for one in parts):
        return False
    return any(
        any(isinstance(made, Symbol) and made.name in _CLOCKS for made in options(module.value(call.func, spot)))
        or (last_name(call.func) in ("now", "utcnow") and dotted(call.func).startswith("datetime."))
        for call in parts
        if isinstance(call, cst.Call)
    )
