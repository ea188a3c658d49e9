"""`while True`, or a loop over a Kafka consumer, with no way out, on a task thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.contexts import TASK
from shoal.python.flow import ALL, endless
from shoal.python.tree import Spot, descend


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running(*TASK, "foreach", "foreach-batch", "async", "open"):
        for statement in module.tree.statements:
            node = statement.node
            if statement.spot.function is not function:
                continue
            if isinstance(node, cst.While) and (
                _flag_stays_up(module, function, node) or (endless(node) and not module.flow(function).escapes(node, (), ALL))
            ):
                head = node.test
            elif isinstance(node, cst.For) and _waits_for_ever(module, node, statement.spot):
                head = node.iter
            else:
                continue
            message = f"this loop has no way out {where.told()}: no further record, timer or checkpoint barrier is ever handled, and a cancel is not seen"
            yield context.finding(message, module.place(head, statement.spot))


def _flag_stays_up(module: Any, function: Any, loop: cst.While) -> bool:
    """`while self.running` where nothing that the loop does takes the flag down, or leaves the loop: nobody else of the task comes to run meanwhile."""
    flag = loop.test
    cls = function.cls
    if not (isinstance(flag, cst.Attribute) and isinstance(flag.value, cst.Name) and flag.value.value == function.self_name and cls):
        return False
    bindings = [binding for at in module.parents(cls) for binding in at.attributes.get(flag.attr.value, ())]
    if not any(binding.kind == "assign" and module.constant(binding.node, binding.spot) is True for binding in bindings):
        return False
    started = any(isinstance(node, (cst.Break, cst.Return, cst.Raise)) for node in descend(loop.body, (cst.FunctionDef, cst.ClassDef)))
    if started or function.is_async or module.named("Thread", "Timer", "submit", "signal"):
        return False
    lowers = {binding.spot.function for binding in bindings if module.constant(binding.node, binding.spot) is not True}
    return not lowers & {function, *_reached(module, function)}


def _reached(module: Any, function: Any) -> set[Any]:
    """The functions of the module that a function calls, and those that they call."""
    found: set[Any] = set()
    waiting = [function]
    while waiting:
        for call in waiting.pop().calls:
            target = module.target(call)
            if target is not None and target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _waits_for_ever(module: Any, loop: cst.For, spot: Spot) -> bool:
    """Whether a loop is over kafka-python's consumer, which ends only by `consumer_timeout_ms`, and nothing leaves it."""
    made = [obj for obj in module.objects(loop.iter, spot) if obj.type == "kafka.Consumer" and isinstance(obj.node, cst.Call)]
    if not made or any(
        isinstance(node, (cst.Break, cst.Return, cst.Raise)) for node in descend(loop.body, (cst.FunctionDef, cst.ClassDef))
    ):
        return False
    return all(not arg.star and (arg.keyword is None or arg.keyword.value != "consumer_timeout_ms") for arg in made[0].node.args)
