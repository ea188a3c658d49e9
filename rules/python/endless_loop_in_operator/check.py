"""`while True`, or a loop over a Kafka consumer, with no way out, on a task thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import endless
from shoal.python.contexts import TASK
from shoal.python.flow import ALL
from shoal.python.tree import Spot, descend


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running(*TASK, "foreach", "foreach-batch", "async", "open"):
        for statement in module.tree.statements:
            node = statement.node
            if statement.spot.function is not function:
                continue
            if isinstance(node, cst.While) and endless(node) and not module.flow(function).escapes(node, (), ALL):
                head = node.test
            elif isinstance(node, cst.For) and _waits_for_ever(module, node, statement.spot):
                head = node.iter
            else:
                continue
            message = f"this loop has no way out {where.told()}: no further record, timer or checkpoint barrier is ever handled, and a cancel is not seen"
            yield context.finding(message, module.place(head, statement.spot))


def _waits_for_ever(module: Any, loop: cst.For, spot: Spot) -> bool:
    """Whether a loop is over kafka-python's consumer, which ends only by `consumer_timeout_ms`, and nothing leaves it."""
    made = [obj for obj in module.objects(loop.iter, spot) if obj.type == "kafka.Consumer" and isinstance(obj.node, cst.Call)]
    if not made or any(
        isinstance(node, (cst.Break, cst.Return, cst.Raise)) for node in descend(loop.body, (cst.FunctionDef, cst.ClassDef))
    ):
        return False
    return all(not arg.star and (arg.keyword is None or arg.keyword.value != "consumer_timeout_ms") for arg in made[0].node.args)
