"""`state.get(key).append(…)` and `total = state.value(); total["n"] += 1` without an `update` or `put` behind it.

PyFlink writes what `update` and `put` are given; what a read gives is an object of the reader's cache (`state_impl.py` of 1.20.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import CHANGES, Call, Function, Spot, descend, dotted, targets
from shoal.python.values import names

_READS = {"flink.ValueState": "value", "flink.MapState": "get"}
_WRITES = names("update put put_all clear add add_all remove")
# What is given a value and keeps nothing of it.
_LOOKS = names(
    "len print str repr sum max min sorted list dict set tuple any all bool int float dumps info debug warning error Row isinstance enumerate zip"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for node, spot in _changed(module):
        read, kept = _read(module, node, spot)
        function = spot.function
        if read is None or function is None or _put_back(module, function, read, kept):
            continue
        state = dotted(read.receiver_node)
        message = (
            f"this changes the copy that {state}.{read.name}() gives: nothing is written to the state, and the change is gone when the copy leaves the cache, "
            f"after some keys or with the next restart; give the value to {state}.{'put' if read.name == 'get' else 'update'}() afterwards"
        )
        yield context.finding(message, module.place(node, spot))


def _changed(module: Any) -> Iterator[tuple[Any, Spot]]:
    """What is changed in place: the expression before a method that changes it, or before the brackets that something is put in."""
    for call in module.named(*CHANGES):
        if call.receiver_node is not None:
            yield call.receiver_node, call.spot
    for statement in module.tree.statements:
        for target in targets(statement.node):
            if isinstance(target, cst.Subscript):
                yield target.value, statement.spot


def _read(module: Any, node: Any, spot: Spot) -> tuple[Call | None, str]:
    """The call that read a value from keyed state, and the name that it has been kept under."""
    kept = ""
    if isinstance(node, cst.Name):
        kept = node.value
        given = [
            statement.node.value
            for statement in module.tree.statements
            if statement.spot.function is spot.function
            and any(isinstance(target, cst.Name) and target.value == kept for target in targets(statement.node))
            and isinstance(statement.node, cst.Assign)
        ]
        node = given[0] if len(given) == 1 else None
        node = node.left if isinstance(node, cst.BooleanOperation) else node  # `… or {}`
    call = next((one for one in module.named(*_READS.values()) if one.node is node), None)
    kind = module.type_of(call.receiver_node, call.spot) if call is not None and call.receiver_node is not None else ""
    return (call, kept) if call is not None and _READS.get(str(kind)) == call.name else (None, "")


def _put_back(module: Any, function: Function, read: Call, kept: str) -> bool:
    """Whether the function may write the value: it gives the state anything, at any place but for a branch before, or hands the value on."""
    state = dotted(read.receiver_node)
    alias = isinstance(read.receiver_node, cst.Name)  # the state may have another name, too
    for call in function.calls:
        if call.name in _WRITES and call.receiver_node is not None:
            same = dotted(call.receiver_node) == state or (alias and str(module.type_of(call.receiver_node, call.spot)) in _READS)
            if same and not (_stands_before(module, call, read) and call.spot.conditional):
                return True
        if kept and call.name not in _LOOKS and any(_names(arg.value, kept) for arg in call.node.args):
            return True
    return bool(kept) and any(node is not None and isinstance(node, cst.Name) and node.value == kept for node, _ in function.returns)


def _names(node: Any, name: str) -> bool:
    return any(isinstance(one, cst.Name) and one.value == name for one in descend(node))


def _stands_before(module: Any, call: Call, other: Call) -> bool:
    return bool(module.inner_span(call.node, call.spot).start < module.inner_span(other.node, other.spot).start)
