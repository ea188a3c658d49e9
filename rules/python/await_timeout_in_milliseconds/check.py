"""`query.awaitTermination(30000)`: seconds in PySpark, milliseconds in Scala and Java."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Known, options

_LONG = 5_000


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Round thousands that are no whole hours: 86400 and 7200 are seconds."""
    module = context.module
    for call in module.named("awaitTermination", "awaitAnyTermination"):
        node = call.argument(0, "timeout")
        if node is None or call.receiver_node is None:
            continue
        if not isinstance(module.value(node, call.spot), Known) and _multiplied(node):
            message = "PySpark takes seconds here: a thousand times as many are waited for, and what comes after it (a stop flag, a look at the queries) waits as long; leave out `* 1000`"
            yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])
            continue
        values = [option.value if isinstance(option, Known) else None for option in options(module.value(node, call.spot))]
        if not values or not all(_meant_as_milliseconds(value) for value in values):
            continue
        amount = max(value for value in values if isinstance(value, (int, float)))
        message = (
            f"PySpark takes seconds here: this waits up to {amount / 3600:.1f} h, and what comes after it (a stop flag, a look at the queries) "
            f"waits as long; for {amount / 1000:g} s write {amount / 1000:g}"
        )
        yield context.finding(message, module.place(node, call.spot), covers=[module.covers(call)])


def _multiplied(node: Any) -> bool:
    """`timeout * 1000`, of a timeout that the caller gives."""
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Multiply):
        return False
    sides = (node.left, node.right)
    names = any(isinstance(side, (cst.Name, cst.Attribute, cst.BinaryOperation)) for side in sides)
    return names and any(isinstance(side, cst.Integer) and side.value.replace("_", "") == "1000" for side in sides)


def _meant_as_milliseconds(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= _LONG and value % 1000 == 0 and value % 3600 != 0
