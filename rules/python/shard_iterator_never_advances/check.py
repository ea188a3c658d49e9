"""`get_records(ShardIterator=first)` in a loop that never gives `first` another value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import descend


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Loops that end by themselves ask again after a failure: those are left alone."""
    module = context.module
    for call in module.named("get_records"):
        loop = call.spot.loop
        given = call.argument(None, "ShardIterator")
        name = _root(given)
        if not isinstance(loop, cst.While) or not name or not clients.KINESIS.search(module.raw) or _moves(loop, name):
            continue
        message = "each request begins where the first one did: the records from there on come again and again until the iterator expires, five minutes later; go on with NextShardIterator"
        yield context.finding(message, module.place(given, call.spot), covers=[module.covers(call)])


def _root(node: Any) -> str:
    """The variable that an iterator is, or is a part of."""
    while isinstance(node, cst.Subscript):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def _moves(loop: cst.While, name: str) -> bool:
    """Whether a loop may give a variable another value, or a part of it, or may end."""
    for part in descend(loop):
        if isinstance(part, cst.Break | cst.Return | cst.Raise):
            return True
        bound = (
            part.target
            if isinstance(part, cst.AssignTarget | cst.AugAssign | cst.AnnAssign | cst.For | cst.NamedExpr | cst.CompFor)
            else None
        )
        if bound is not None and any(isinstance(one, cst.Name) and one.value == name for one in descend(bound)):
            return True
        if isinstance(part, cst.Call) and _handed_on(part, name):
            return True
    return False


def _handed_on(call: cst.Call, name: str) -> bool:
    """Whether a call has the whole variable, or is a method of it, and so may change what is in it."""
    if isinstance(call.func, cst.Attribute) and _root(call.func.value) == name:
        return True
    return any(isinstance(arg.value, cst.Name) and arg.value.value == name and arg.keyword is None for arg in call.args)
