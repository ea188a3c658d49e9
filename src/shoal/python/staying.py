"""Functions that take the records of a Kafka consumer and do not come back by themselves: whoever waits for one waits for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python import clients
from shoal.python.elsewhere import STAYS
from shoal.python.flow import endless

if TYPE_CHECKING:
    from shoal.model import Place
    from shoal.python.module import Module
    from shoal.python.tree import Call, Function, Statement

_LEVELS = 3


def of(module: Module, function: Function) -> tuple[Place, str] | None:
    """The loop that a function never leaves but by an error, in itself or in what it calls, here or in another module."""
    return _of(module, function, _LEVELS)


def waited_for(module: Module, call: Call) -> tuple[Place, str] | None:
    """The same of what a call runs, where nothing goes on before it has come back: an awaited coroutine, a plain function."""
    return _waited_for(module, call, _LEVELS)


def own(module: Module, function: Function) -> list[Statement]:
    """The endless loops over a consumer's records that a function surely comes to itself."""
    loops = clients.all_record_loops(module)
    return [
        statement
        for statement in module.tree.statements
        if statement.spot.function is function
        and id(statement.node) in loops
        and not statement.spot.conditional
        and _endless(module, statement)
    ]


def _of(module: Module, function: Function, levels: int) -> tuple[Place, str] | None:
    if function.yields:
        return None
    for statement in own(module, function):
        node: Any = statement.node
        return module.place(node.iter if isinstance(node, cst.For) else node.test, statement.spot), "goes on for ever"
    for call in function.calls if levels else ():
        found = _waited_for(module, call, levels - 1) if not call.spot.conditional else None
        if found is not None:
            return found
    return None


def _waited_for(module: Module, call: Call, levels: int) -> tuple[Place, str] | None:
    if call.use not in ("awaited", "dropped"):
        return None
    target = module.target(call)
    if target is not None:
        return _of(module, target, levels) if target.is_async == (call.use == "awaited") else None
    said: tuple[Place, str] | None = module.others.said(module.others.callee(call.node.func, call.spot), STAYS)
    return said


def _endless(module: Module, statement: Statement) -> bool:
    """Whether a loop over records has no way out: kafka-python's iterator has one where it is given a time to wait."""
    loop: Any = statement.node
    if clients.left(loop):
        return False
    if isinstance(loop, cst.While):
        return endless(loop)
    found = [obj for obj in module.objects(loop.iter, statement.spot) if obj.type in clients.CONSUMERS]
    return bool(found) and all(isinstance(obj.node, cst.Call) and not _timed(obj.node) for obj in found)


def _timed(made: Any) -> bool:
    """Whether a consumer's maker may be given `consumer_timeout_ms`."""
    return any(arg.star or (arg.keyword is not None and arg.keyword.value == "consumer_timeout_ms") for arg in made.args)
