"""A stream-stream join needs a watermark on both sides and a bound on the time between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import frames
from shoal.python.tree import Call
from shoal.python.values import Known, Sequence, options

_BOUND = re.compile(r"(?i)interval|between|[<>]=?|window")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("join"):
        left = frames.frames(module, call)
        other = call.argument(0, "other")
        right = [obj for obj in module.objects(other, call.spot) if obj.type == "spark.DataFrame"]
        if not left or not right or not all(frames.streaming(frame) for frame in (*left, *right)):
            continue
        marked = [all(frames.watermarked(frame) for frame in side) for side in (left, right)]
        how = module.string(call.argument(2, "how"), call.spot).lower().replace("_", "")
        outer = how.startswith(("left", "right", "full", "outer"))
        on = call.argument(1, "on")
        if not all(marked):
            sides = "neither side has" if not any(marked) else f"the {'left' if marked[1] else 'right'} side has no"
            if outer and how != "leftsemi":
                message = f"{sides} watermark: an outer join of two streams is refused without one on the side that may be dropped"
            else:
                message = f"{sides} watermark: both streams are buffered for ever, since a match may always still come"
            yield context.finding(message, module.call_place(call), confidence="" if any(marked) else "high", covers=[module.covers(call)])
        elif not _bounded(module, on, call, left + right):
            message = "both sides have a watermark but the condition bounds no time between them, so nothing is ever dropped: add a range, such as t2 BETWEEN t1 AND t1 + INTERVAL 1 HOUR"
            yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _bounded(module: Any, node: Any, call: Call, sides: list[Any]) -> bool:
    """Whether a join condition compares times, or may (what cannot be read counts as a bound)."""
    if node is None:
        return True
    columns = {column for side in sides for column in frames.watermark_columns(module, side)}
    for option in options(module.value(node, call.spot)):
        if isinstance(option, Known) and isinstance(option.value, str):
            return option.value in columns or "window" in option.value
        if isinstance(option, Sequence):
            names = [module.string(item, option.spot) for item in option.nodes]
            if all(names):
                return any(name in columns or "window" in name for name in names)
    return _compares(module, node, call, 0)


def _compares(module: Any, node: Any, call: Call, level: int) -> bool:
    if level > 20:
        return True
    if isinstance(node, cst.Call):
        name = node.func.attr.value if isinstance(node.func, cst.Attribute) else node.func.value if isinstance(node.func, cst.Name) else ""
        if name == "expr" and node.args:
            text = module.constant(node.args[0].value, call.spot)
            return _BOUND.search(text) is not None if isinstance(text, str) else True
        if name in ("between", "window"):
            return True
        return name not in ("col", "column", "eqNullSafe", "lower", "upper", "trim")
    if isinstance(node, cst.Comparison):
        if any(isinstance(part.operator, (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)) for part in node.comparisons):
            return True
        return any("window" in name for name in _names(node))
    if isinstance(node, cst.BinaryOperation):
        return _compares(module, node.left, call, level + 1) or _compares(module, node.right, call, level + 1)
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, call.spot)]
        return not (len(found) == 1 and found[0].kind == "assign") or _compares(module, found[0].node, call, level + 1)
    if isinstance(node, cst.List):
        return any(_compares(module, element.value, call, level + 1) for element in node.elements)
    return not isinstance(node, (cst.Attribute, cst.Subscript, cst.SimpleString))


def _names(node: Any) -> list[str]:
    found = []
    for side in (node.left, *(part.comparator for part in node.comparisons)):
        if isinstance(side, cst.Attribute):
            found.append(side.attr.value)
        elif isinstance(side, cst.Subscript):
            index = side.slice[0].slice
            if isinstance(index, cst.Index) and isinstance(index.value, cst.SimpleString):
                found.append(index.value.value)
    return found
