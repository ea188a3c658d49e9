"""A handler in `async_invoke` that returns `[]` for a record whose request failed, or lets the function return its list as it began, empty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import mentions
from shoal.python.flow import reraises
from shoal.python.tree import Function, descend


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("async"):
        if function is where.entry and (handler := _leaves_empty(module, function)):
            message = "a failed request leaves the list empty that is returned, so the record is dropped without a trace: raise, retry, or send it to a dead-letter output"
            yield context.finding(message, module.handler_place(handler))
        for node, spot in function.returns:
            if not _nothing(node):
                continue
            arm = next((arm for arm in spot.arms if arm.kind == "except"), None)
            if where.entry.name == "timeout":
                message = "a record that times out is dropped without a trace: give it back marked as failed, for a dead-letter output"
                yield context.finding(message, module.place(node, spot), confidence="low")
            elif arm is not None and not reraises(arm.test.handlers[arm.index - 1]):
                message = "the record is dropped without a trace when its request fails: raise, retry, or send it to a dead-letter output"
                yield context.finding(message, module.place(node, spot))


def _leaves_empty(module: Any, function: Function) -> Any:
    """The handler behind which a function returns the list that it began with, still empty: only the `try` puts anything into it."""
    last = function.returns[-1] if function.returns else (None, None)
    node, spot = last
    if len(function.returns) != 1 or not isinstance(node, cst.Name) or spot is None or spot.arms or spot.guarded:
        return None
    bindings = function.scope.bindings.get(node.value, [])
    if not bindings or not _is_empty(bindings[0]) or any(binding.kind != "assign" for binding in bindings):
        return None
    puts = [binding.spot for binding in bindings[1:]]
    puts += [call.spot for call in function.calls if isinstance(call.receiver_node, cst.Name) and call.receiver_node.value == node.value]
    guards = {at.guarded[0] if at.guarded else None for at in puts}
    statement = guards.pop() if len(guards) == 1 else None
    if not isinstance(statement, cst.Try) or (at := module.spot_of(statement)) is None or at.in_loop() or at.conditional:
        return None
    if (
        statement.orelse is not None
        or statement.finalbody is not None
        or not any(isinstance(one, cst.Await) for one in descend(statement.body))
    ):
        return None
    for handler in statement.handlers:
        ends = any(isinstance(one, (cst.Return, cst.Raise)) for one in descend(handler.body))
        if not (ends or reraises(handler) or mentions(handler.body, {node.value})):
            return handler
    return None


def _is_empty(binding: Any) -> bool:
    return binding.kind == "assign" and _nothing(binding.node) and not binding.spot.guarded and not binding.spot.arms


def _nothing(node: Any) -> bool:
    """`[]`, or `list()`."""
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value == "list" and not node.args
    return isinstance(node, cst.List) and not node.elements
