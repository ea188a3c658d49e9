"""`a and b`, `a or b`, `not a` and `a < b < c` of expressions: PyFlink's has no `__bool__` and is true, PySpark's `Column` raises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, Spot, last_name
from shoal.python.values import names

_TAKE = (
    "filter",
    "where",
    "join",
    "left_outer_join",
    "right_outer_join",
    "full_outer_join",
    "select",
    "add_columns",
    "add_or_replace_columns",
    "withColumn",
    "when",
    "then",
    "and_",
    "or_",
    "not_",
    "if_then_else",
)
_FLINK, _SPARK = "pyflink.table.expressions.", "pyspark.sql.functions."
# What makes a column of nothing but a name or a value.
_MAKERS = names("col lit column call concat coalesce lower upper to_timestamp to_date length size expr from_json current_timestamp")
_LEVELS = 3


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*_TAKE):
        for arg in call.node.args:
            found = _asked(module, arg.value, call.spot, _LEVELS)
            if found is not None:
                node, engine = found
                here = any(at is node for at in _within(arg.value))
                place = module.place(node if here else arg.value, call.spot)
                yield context.finding(_message(node, engine), place, covers=[module.covers(call)])


def _message(node: Any, engine: str) -> str:
    if engine == _SPARK:
        return "the script ends here with `Cannot convert column into bool`: Python asks a column whether it is true (&, | and ~, with brackets around each comparison)"
    if isinstance(node, cst.UnaryOperation):
        return "`not` of an expression is False, whatever the column holds: Python asks the object, which counts as true (use ~)"
    if isinstance(node, cst.Comparison):
        return "only the last comparison of this chain counts: Python asks the first one whether it is true, and every expression is (between(), or & with brackets)"
    if isinstance(node.operator, cst.And):
        return "only the last condition counts: Python asks the others whether they are true, and every expression is (& with brackets around each, or and_())"
    return "only the first condition counts: Python asks it whether it is true, and every expression is (| with brackets around each, or or_())"


def _asked(module: Any, node: Any, spot: Spot, level: int) -> tuple[Any, str] | None:
    """Where in an argument Python asks a column whether it is true, and whose column that is."""
    if isinstance(node, cst.Name) and level:
        given = _given(module, node, spot)
        return _asked(module, given.node, given.spot, level - 1) if given is not None else None
    for at in _within(node):
        left = at.left if isinstance(at, cst.BooleanOperation) else None
        if isinstance(at, cst.UnaryOperation) and isinstance(at.operator, cst.Not):
            left = at.expression
        if isinstance(at, cst.Comparison) and len(at.comparisons) > 1:
            left = cst.Comparison(at.left, at.comparisons[:1])
        engine = _column(module, left, spot, _LEVELS) if left is not None else ""
        if engine:
            return at, engine
    return None


def _within(node: Any) -> Iterator[Any]:
    """An expression and the conditions that it joins."""
    yield node
    if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation)):
        yield from _within(node.left)
        yield from _within(node.right)
    elif isinstance(node, cst.UnaryOperation):
        yield from _within(node.expression)


def _column(module: Any, node: Any, spot: Spot, level: int) -> str:
    """Whose column an expression surely is; empty where it may be anything else."""
    if isinstance(node, cst.Comparison):
        return next(
            (found for part in (node.left, *(one.comparator for one in node.comparisons)) if (found := _column(module, part, spot, level))),
            "",
        )
    if isinstance(node, cst.BinaryOperation):
        return _column(module, node.left, spot, level) or _column(module, node.right, spot, level)
    if isinstance(node, cst.BooleanOperation):
        return _column(module, node.left, spot, level) and _column(module, node.right, spot, level)
    if isinstance(node, cst.UnaryOperation):
        return "" if isinstance(node.operator, cst.Not) else _column(module, node.expression, spot, level)
    if isinstance(node, (cst.Attribute, cst.Subscript)):
        return _column(module, node.value, spot, level)
    if isinstance(node, cst.Name) and level:
        given = _given(module, node, spot)
        return _column(module, given.node, given.spot, level - 1) if given is not None else ""
    if not isinstance(node, cst.Call):
        return ""
    if last_name(node.func) in _MAKERS:
        name = module.qualified(Call(node, last_name(node.func), spot, None, ""))
        whose = next((prefix for prefix in (_FLINK, _SPARK) if name.startswith(prefix)), "")
        if whose:
            return whose
    return _column(module, node.func.value, spot, level) if isinstance(node.func, cst.Attribute) else ""


def _given(module: Any, node: cst.Name, spot: Spot) -> Any:
    """The one binding that gives a name its value."""
    bound = [binding for binding, _ in module.lookup(node.value, spot)]
    return bound[0] if len(bound) == 1 and bound[0].kind == "assign" else None
