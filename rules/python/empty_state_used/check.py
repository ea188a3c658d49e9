"""`self.count.value() + 1` in a record method, before anything asks whether there is a value. What a read gives for a new key was looked up in PyFlink 2.2.1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, Function, Spot, Statement, contains, dotted, evaluated, targets

_READS = {"flink.ValueState": "value", "flink.MapState": "get", "flink.ReducingState": "get", "flink.AggregatingState": "get"}
_ORDERS = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)
# What an expression may be that looks before it uses.
_LOOKS = (cst.BooleanOperation, cst.IfExp, cst.Is, cst.IsNot, cst.Lambda, cst.CompFor)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("operator"):
        if where.engine != "flink" or where.through or function.cls is None:
            continue
        for read in function.calls:
            if read.name not in ("value", "get") or read.receiver_node is None or not _sure(read.spot):
                continue
            if _READS.get(str(module.type_of(read.receiver_node, read.spot))) != read.name or _asked_before(module, function, read):
                continue
            used = _use(module, function, read)
            if used is not None:
                state = dotted(read.receiver_node)
                message = f"{state}.{read.name}() is None for a key that nothing was written under yet: its first record fails the job, is read again, and fails it again"
                yield context.finding(
                    message, module.place(*used), [(module.call_place(read), "read here")] if used[0] is not read.node else []
                )


def _sure(spot: Spot) -> bool:
    return not (spot.conditional or spot.guarded or spot.loops)


def _asked_before(module: Any, function: Function, read: Call) -> bool:
    """Whether something before has to do with the state, or is a method of the same object that may."""
    state = dotted(read.receiver_node)
    start = module.span(read.node, read.spot).start
    for call in function.calls:
        if module.span(call.node, call.spot).start >= start or contains(call.node, read.node):
            continue
        receiver = dotted(call.receiver_node) if call.receiver_node is not None else ""
        given = {dotted(arg.value) for arg in call.args}
        if receiver == state or state in given or receiver in ("self", "super") or "self" in given:
            return True
    return False


def _use(module: Any, function: Function, read: Call) -> tuple[Any, Spot] | None:
    """Where the value is used as one that is there, in the statement that reads it or in the first one that names what it was kept as."""
    kept = ""
    passed: list[Any] = []
    for statement in module.tree.statements[read.spot.statement :]:
        if statement.spot.function is not function:
            continue
        parts = list(evaluated(statement.node))
        if not kept and any(part is read.node for part in parts):
            names = targets(statement.node)
            if len(names) == 1 and isinstance(names[0], cst.Name) and statement.node.value is read.node:
                kept = names[0].value
                continue
            return _used(parts, read, "", statement)
        if any(arm.kind == "if" and any(arm.test is test for test in passed) for arm in statement.spot.arms):
            continue
        if kept and isinstance(statement.node, cst.If) and _is_value_of(statement.node.test, kept):
            passed.append(statement.node.test)
            continue
        if kept and any(isinstance(part, cst.Name) and part.value == kept for part in parts):
            return _used(parts, read, kept, statement)
    return None


def _is_value_of(test: Any, kept: str) -> bool:
    """`count == 0`: no look, and not true of None, so that what stands below is not for a key without a value."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or not isinstance(test.comparisons[0].operator, cst.Equal):
        return False
    other = test.comparisons[0].comparator
    literal = isinstance(other, (cst.Integer, cst.Float, cst.SimpleString)) or (
        isinstance(other, cst.Name) and other.value in ("True", "False")
    )
    return isinstance(test.left, cst.Name) and test.left.value == kept and literal


def _used(parts: list[Any], read: Call, kept: str, statement: Statement) -> tuple[Any, Spot] | None:
    if not _sure(statement.spot) or any(isinstance(part, _LOOKS) for part in parts):
        return None

    def is_value(node: Any) -> bool:
        return node is read.node or (isinstance(node, cst.Name) and node.value == kept)

    for part in parts:
        if isinstance(part, cst.BinaryOperation):
            used = not isinstance(part.operator, cst.Modulo) and (is_value(part.left) or is_value(part.right))  # `"%s" % x` takes None
        elif isinstance(part, cst.Comparison):
            orders = any(isinstance(one.operator, _ORDERS) for one in part.comparisons)
            used = orders and (is_value(part.left) or any(is_value(one.comparator) for one in part.comparisons))
        elif isinstance(part, cst.AugAssign):
            used = is_value(part.target)
        else:
            used = isinstance(part, (cst.Subscript, cst.Attribute)) and is_value(part.value)
        if used:
            return part, statement.spot
    return None
