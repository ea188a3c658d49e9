"""Which values a name may still have where an `if` around a spot has asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.tree import Spot, descend, dotted, is_none
from shoal.python.values import UNKNOWN, Known, Value, choice, options

if TYPE_CHECKING:
    from shoal.python.module import Module


def possible(name: str, value: Value, made: Spot | None, spot: Spot) -> Value:
    """Of the values that a name or a field (`self.size`) may have, those with which an `if` around a spot goes its way: `name == "x"`, `name is not None`,
    `name`, or the `else` of it."""
    for arm in spot.arms:
        if arm.kind in ("if", "else") and (made is None or arm not in made.arms):
            value = where(arm.test, arm.kind == "if", name, value)
    return value


def where(test: Any, held: bool, name: str, value: Value) -> Value:
    """Of the values that a name may have, those with which a condition holds, or does not."""
    left = [one for one in options(value) if not isinstance(one, Known) or holds(test, name, one.value) in (None, held)]
    return choice(left or [UNKNOWN])


def holds(test: Any, name: str, value: Any) -> bool | None:
    """Whether a condition holds where a name has this value; None where it is about anything else."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = holds(test.expression, name, value)
        return None if inner is None else not inner
    if isinstance(test, cst.BooleanOperation):  # `a and b` fails with one of them, `a or b` holds with one
        decisive = isinstance(test.operator, cst.Or)
        return decisive if decisive in (holds(test.left, name, value), holds(test.right, name, value)) else None
    if isinstance(test, (cst.Name, cst.Attribute)):
        return bool(value) if dotted(test) == name else None
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or dotted(test.left) != name:
        return None
    operator, other = test.comparisons[0].operator, test.comparisons[0].comparator
    if is_none(other) and isinstance(operator, (cst.Is, cst.IsNot, cst.Equal, cst.NotEqual)):
        return (value is None) == isinstance(operator, (cst.Is, cst.Equal))
    if isinstance(other, (cst.SimpleString, cst.Integer)) and isinstance(operator, (cst.Equal, cst.NotEqual)):
        return bool(value == other.evaluated_value) == isinstance(operator, cst.Equal)
    return None


def ruled_out(module: Module, spot: Spot) -> bool:
    """Whether the call that is being followed does not come to a spot of the function: an `if` around it asks for a parameter that has another value."""
    for function, arguments in module.followed:
        if function is not spot.function:
            continue
        for arm in spot.arms:
            for name, value in arguments.items() if arm.kind in ("if", "else") else ():
                held = holds(arm.test, name, value.value) if isinstance(value, Known) else None
                if held is (arm.kind != "if") and [binding.kind for binding, _ in module.lookup(name, spot)] == ["param"]:
                    return True
    return False


def asks_for_parameter(spot: Spot) -> bool:
    """Whether an `if` around a spot asks for a parameter of the function."""
    given = set(spot.function.given_names) if spot.function is not None else set()
    return any(
        arm.kind in ("if", "else")
        and arm.test is not None
        and any(isinstance(node, cst.Name) and node.value in given for node in descend(arm.test))
        for arm in spot.arms
    )


def for_batches(module: Module, spot: Spot) -> bool:
    """Whether an expression is only evaluated for frames that are no streams: in the `else` of `if df.isStreaming`, or behind one that ends the function."""
    asked = [(arm.test, arm.kind == "if") for arm in spot.arms if arm.kind in ("if", "else")]
    around = {id(test) for test, _ in asked}
    for statement in module.tree.statements[: spot.statement] if spot.function is not None else ():
        node = statement.node
        if (
            isinstance(node, cst.If)
            and statement.spot.function is spot.function
            and node.orelse is None
            and id(node.test) not in around
            and _ends(node.body)
        ):
            asked.append((node.test, False))
    return any(_streams(test) is (not held) for test, held in asked)


def _streams(test: Any) -> bool | None:
    """What a condition says of a frame where it holds: True for `df.isStreaming`, False for its opposite, None for any other."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = _streams(test.expression)
        return None if inner is None else not inner
    return True if isinstance(test, cst.Attribute) and test.attr.value == "isStreaming" else None


def _ends(body: Any) -> bool:
    last = body.body[-1] if body.body else None
    return isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], (cst.Return, cst.Raise))
