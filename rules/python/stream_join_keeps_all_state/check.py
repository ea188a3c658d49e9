"""A stream-stream join needs a watermark on both sides and a bound on the time between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.clients import unread
from shoal.python.frame import Frame
from shoal.python.tree import Call, last_name
from shoal.python.values import Known, Sequence, options

_FIELD = pattern(r"(?:\w+\.)*(?:col\()?(?:\w+\.)*window\)?(?:\.|\[)(?:start|end)[\])]?")
_BOUND = pattern(r"(?i)interval|between|[<>]=?|window")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("join"):
        other = call.argument(0, "other")
        if other is None or call.receiver_node is None:
            continue
        left, right = (module.frames.streams(node, call.spot) for node in (call.receiver_node, other))
        if not left or not right or unread(module, call):
            continue  # what nobody reads is never started
        sinks = module.frames.sinks_of(call)
        confidence = "low" if sinks and all(sink.demo for sink in sinks) else ""
        marked = [all(frame.steps("withWatermark") for frame in side) for side in (left, right)]
        how = module.string(call.argument(2, "how"), call.spot).lower().replace("_", "")
        kind = next((kind for kind in ("leftsemi", "semi", "left", "right", "full", "outer") if how.startswith(kind)), "")
        flat = _flattened(module, left + right)
        bounded = _bounded(module, call.argument(1, "on"), call, left + right, flat)
        needed = {"left": marked[1], "leftsemi": marked[1], "semi": marked[1], "right": marked[0]}.get(kind, any(marked))
        if kind and not (needed and bounded):
            missing = "a watermark on the side that may be missing" if not needed else "a range on the time between the two sides"
            message = f"the query is refused when it starts: an outer or semi join of two streams needs {missing}"
            yield context.finding(message, module.call_place(call), severity="error", covers=[module.covers(call)])
        elif not all(marked):
            sides = "neither side has a" if not any(marked) else f"the {'left' if marked[1] else 'right'} side has no"
            message = f"{sides} watermark: records are buffered for ever, since a match may always still come"
            yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])
        elif not bounded and flat and _bounded(module, call.argument(1, "on"), call, left + right, frozenset()):
            message = f"nothing is ever dropped: {max(flat)} was taken out of its window and has no watermark any more, so that the join waits for ever; join on the window itself, or on window_time()"
            yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])
        elif not bounded:
            message = "both sides have a watermark but the condition bounds no time between them, so nothing is ever dropped: add a range, such as t2 BETWEEN t1 AND t1 + INTERVAL 1 HOUR"
            yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])


def _flattened(module: Any, sides: list[Frame]) -> frozenset[str]:
    """Columns that are the start or the end of a window that both sides count by: a field of a window has no watermark, as the window has."""
    found: set[str] = set()
    for side in sides:
        for step in side.steps("select", "withColumn"):
            given = step.arguments or ()
            if step.op == "withColumn" and len(given) == 2 and _of_window(given[1].value):
                found.add(module.frames.text(given[0].value, step.spot, step.env))
            elif step.op == "select":
                for argument in given:
                    node = argument.value
                    renamed = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and last_name(node.func) == "alias"
                    if renamed and node.args and _of_window(node.func.value):
                        found.add(module.frames.text(node.args[0].value, step.spot, step.env))
    return frozenset(found - {""})


def _of_window(node: Any) -> bool:
    """`col("window.start")`, `frame.window.end`, `col("window")["start"]`."""
    return _FIELD.fullmatch(re.sub(r"[\s\"']", "", cst.Module([]).code_for_node(node))) is not None


def _bounded(module: Any, node: Any, call: Call, sides: list[Frame], flat: frozenset[str]) -> bool:
    """Whether a join condition compares times, or may (what cannot be read counts as a bound).

    `flat`: columns that come of a window and bound nothing.
    """
    if node is None:
        return True
    columns = {column for side in sides for column, _ in module.frames.watermarks(side)}
    if "" in columns:
        return True
    for option in options(module.value(node, call.spot)):
        if isinstance(option, Known) and isinstance(option.value, str):
            return option.value in columns or ("window" in option.value and option.value not in flat)
        if isinstance(option, Sequence):
            names = [module.string(item, option.spot) for item in option.nodes]
            if all(names):
                return any(name in columns or ("window" in name and name not in flat) for name in names)
    return _compares(module, node, call, columns, flat, 0)


def _compares(module: Any, node: Any, call: Call, columns: set[str], flat: frozenset[str], level: int) -> bool:
    if level > 20:
        return True
    if isinstance(node, cst.Call):
        name = last_name(node.func)
        if name == "expr" and node.args:
            text = module.constant(node.args[0].value, call.spot)
            return not isinstance(text, str) or _BOUND.search(text) is not None or bool(columns & set(re.findall(r"\w+", text)))
        if name in ("between", "window"):
            return True
        return name not in ("col", "column", "eqNullSafe", "lower", "upper", "trim")
    if isinstance(node, cst.Comparison):
        if any(
            isinstance(part.operator, (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)) for part in node.comparisons
        ):
            return True
        return any(("window" in name and name not in flat) or name in columns for name in _names(node))
    if isinstance(node, cst.BinaryOperation):
        return _compares(module, node.left, call, columns, flat, level + 1) or _compares(module, node.right, call, columns, flat, level + 1)
    if isinstance(node, cst.Name):
        found = [binding for binding, _ in module.lookup(node.value, call.spot)]
        return not (len(found) == 1 and found[0].kind == "assign") or _compares(module, found[0].node, call, columns, flat, level + 1)
    if isinstance(node, cst.List):
        return any(_compares(module, element.value, call, columns, flat, level + 1) for element in node.elements)
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
