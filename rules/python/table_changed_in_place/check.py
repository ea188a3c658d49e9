"""`table[key].append(…)` and `table[key]["n"] += 1` with Faust's tables. Tried on faust-streaming 0.15.3: neither the store nor the changelog has the change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import CHANGES, Spot, dotted, targets
from shoal.python.values import names

# What the window set has not, that a windowed table gives.
_OF_VALUES = names("append extend add insert remove discard appendleft extendleft sort")
_TABLES = ("faust.Table", "faust.WindowTable")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*CHANGES):
        kind, name = _table(module, call.receiver_node, call.spot)
        if kind == "faust.WindowTable" and call.name in _OF_VALUES:
            message = (
                f"this ends with an AttributeError: a windowed table gives a WindowSet, which has no {call.name}(); "
                f"take {name}[…].current(), change that, and assign it to {name}[…]"
            )
            yield context.finding(message, module.call_place(call), confidence="high", covers=[module.covers(call)])
        elif kind == "faust.Table" and not _assigned(module, name, call.spot):
            yield _in_place(context, name, module.call_place(call), [module.covers(call)])
    for statement in module.tree.statements:
        for target in targets(statement.node):
            inner = target.value if isinstance(target, (cst.Subscript, cst.Attribute)) else None
            kind, name = _table(module, inner, statement.spot)
            if kind == "faust.Table" and not _assigned(module, name, statement.spot):
                yield _in_place(context, name, module.place(target, statement.spot), [])


def _in_place(context: Context, name: str, at: Any, covers: list[Any]) -> Finding:
    message = (
        f"{name} does not notice what is changed in place: nothing is written to its changelog, and of a new key not even to its store, "
        f"so that the change is gone with the worker or at once; assign the value to {name}[…] afterwards"
    )
    return context.finding(message, at, covers=covers)


def _table(module: Any, node: Any, spot: Spot) -> tuple[str, str]:
    """The type and the name of the table that an expression takes a value from."""
    if not isinstance(node, cst.Subscript):
        return "", ""
    kind = str(module.type_of(node.value, spot))
    return (kind, dotted(node.value)) if kind in _TABLES else ("", "")


def _assigned(module: Any, name: str, spot: Spot) -> bool:
    """Whether the same function assigns values to the table."""
    return any(
        isinstance(target, cst.Subscript) and dotted(target.value) == name
        for statement in module.tree.statements
        if statement.spot.function is spot.function
        for target in targets(statement.node)
    )
