"""`poll()` of kafka-python, `getmany()` of aiokafka and `consume()` of confluent-kafka give a dict or a list: empty, where nothing came, and never None."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import NAMES
from shoal.python.tree import Call, descend, is_none, last_name, unawaited
from shoal.python.values import names

_GIVES = {("kafka.Consumer", "poll"): "dict", ("aiokafka.Consumer", "getmany"): "dict", ("confluent.Consumer", "consume"): "list"}
# What a record has and a dict or list has not.
_OF_RECORD = names("value key error topic partition offset headers timestamp")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    found = {
        id(call.node): call for call in module.named("poll", "getmany", "consume") if (module.receiver_type(call), call.name) in _GIVES
    }
    for node, spot in module.tree.comparisons if found else ():
        if len(node.comparisons) != 1 or not is_none(node.comparisons[0].comparator):
            continue
        if not isinstance(node.comparisons[0].operator, (cst.Is, cst.IsNot, cst.Equal, cst.NotEqual)):
            continue
        call = _tested(module, node.left, spot, found)
        if call is None:
            continue
        kind, library = _GIVES[module.receiver_type(call), call.name], NAMES[module.receiver_type(call).split(".")[0]]
        if _asked_otherwise(module, call, node):
            continue
        wrong = _as_record(call, node.left)
        tail = (
            f"what follows takes the {kind} for a record, and the first round ends with an AttributeError"
            if wrong
            else f"this tells no empty round from another (ask `if not` the {kind})"
        )
        message = f"{call.name}() of {library} gives a {kind}, empty where nothing came and never None: {tail}"
        related = [(module.call_place(call), "gives it")]
        yield context.finding(
            message, module.place(node, spot), related, severity="error" if wrong else "", confidence="high" if wrong else ""
        )


def _tested(module: Any, node: Any, spot: Any, found: dict[int, Call]) -> Call | None:
    """The call whose result is tested, where the name has it in every case."""
    if isinstance(node, cst.NamedExpr):
        node = node.value
    if isinstance(node, cst.Name):
        bound = [binding for binding, _ in module.lookup(node.value, spot)]
        if not bound or any(one.kind != "assign" for one in bound):
            return None
        calls = [found.get(id(unawaited(one.node))) for one in bound]
        return calls[0] if all(calls) else None
    return found.get(id(unawaited(node)))


def _asked_otherwise(module: Any, call: Call, test: cst.Comparison) -> bool:
    """Whether the function also asks if the result is empty: `batch is None or batch == {}`, `if not batch`, `len(batch)`."""
    name = test.left.value if isinstance(test.left, cst.Name) else ""
    for at in descend(call.function.node if call.function is not None else module.tree.node) if name else ():
        asked = (
            at.expression
            if isinstance(at, cst.UnaryOperation) and isinstance(at.operator, cst.Not)
            else at.left
            if isinstance(at, cst.Comparison) and not is_none(at.comparisons[0].comparator)
            else at.test
            if isinstance(at, (cst.If, cst.While, cst.IfExp))
            else None
        )
        if isinstance(asked, cst.Call) and last_name(asked.func) in ("len", "bool", "any") and asked.args:
            asked = asked.args[0].value
        if isinstance(asked, cst.Call) and isinstance(asked.func, cst.Attribute) and asked.func.attr.value in ("items", "values", "keys"):
            asked = asked.func.value
        if isinstance(asked, cst.Name) and asked.value == name:
            return True
    return False


def _as_record(call: Call, tested: Any) -> bool:
    """Whether the function asks the result for what only a record has."""
    if not isinstance(tested, cst.Name) or call.function is None:
        return False
    return any(
        isinstance(at, cst.Attribute) and isinstance(at.value, cst.Name) and at.value.value == tested.value and at.attr.value in _OF_RECORD
        for at in descend(call.function.node)
    )
