"""`consumer.poll(1.0).value()`: with a timeout poll gives None where no message comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import catches_all, caught
from shoal.python.tree import Call, descend, last_name
from shoal.python.values import Known

_ASKS = ("error", "value", "key", "topic", "partition", "offset", "headers", "timestamp")
_TRUTH = ("bool", "isinstance", "hasattr", "assertIsNotNone")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    seen: set[int] = set()
    for call in module.named(*_ASKS):
        polled = [obj for obj in module.receivers(call) if obj.type == "confluent.Message"]
        if len(polled) != 1 or call.node.args or id(polled[0].node) in seen:
            continue
        poll = next((other for other in module.named("poll") if other.node is polled[0].node), None)
        if poll is None or poll.function is not call.function or not _may_give_none(module, poll):
            continue
        seen.add(id(poll.node))
        node = call.receiver_node
        if isinstance(node, cst.Name):
            if _asked_for(module, node.value, call):
                continue
        elif node is not poll.node:
            continue
        handlers = clients.handlers(call)
        if any({"AttributeError", "TypeError"} & set(caught(handler)) for handler in handlers):
            continue
        told = any(catches_all(handler) for handler in handlers)
        message = "poll() gives None where no message comes in time: the first quiet moment ends in an AttributeError ('NoneType' has no attribute 'X')"
        message = message.replace("X", call.name)
        related = [(module.call_place(poll), "polled here")]
        yield context.finding(message, module.call_place(call), related, confidence="low" if told else "", covers=[module.covers(call)])


def _may_give_none(module: Any, poll: Call) -> bool:
    """Whether a poll waits for some time only."""
    timeout = poll.argument(0, "timeout")
    if timeout is None or poll.has_stars:
        return False
    value = module.value(timeout, poll.spot)
    return not isinstance(value, Known) or (isinstance(value.value, (int, float)) and value.value >= 0)


def _asked_for(module: Any, name: str, call: Call) -> bool:
    """Whether the function asks anywhere whether there is a message: as a condition, by `is None`, or with `and`, `or` and `not`."""
    whole = call.function.body if call.function is not None else module.tree.node
    for part in descend(whole):
        if isinstance(part, cst.Comparison):
            asked = [part.left, *(one.comparator for one in part.comparisons)]
        elif isinstance(part, cst.UnaryOperation):
            asked = [part.expression]
        elif isinstance(part, cst.BooleanOperation):
            asked = [part.left, part.right]
        elif isinstance(part, (cst.If, cst.While, cst.IfExp, cst.Assert, cst.CompIf)):
            asked = [part.test]
        elif isinstance(part, cst.Match):
            asked = [part.subject]
        elif isinstance(part, cst.Call) and last_name(part.func) in _TRUTH:
            asked = [arg.value for arg in part.args]
        else:
            continue
        if any(_is(one, name) for one in asked):
            return True
    return False


def _is(node: Any, name: str) -> bool:
    node = node.target if isinstance(node, cst.NamedExpr) else node
    return isinstance(node, cst.Name) and node.value == name
