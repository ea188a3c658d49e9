"""`message.ack()` in the callback of a Pub/Sub subscription, below a `publish()`, `send()` or `produce()` whose answer is not waited for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.tree import ASSIGNMENTS, Call, Function, dotted, last_name, targets

_WAITS = ("result", "exception", "flush", "wait", "as_completed", "gather")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    publishers = _publishers(module)
    seen: set[int] = set()
    for subscribed in module.named("subscribe"):
        node = subscribed.argument(1, "callback")
        for function in module.function_of(node, subscribed.spot) if node is not None else ():
            if id(function) not in seen:
                seen.add(id(function))
                yield from _acknowledged(context, module, function, publishers)


def _acknowledged(context: Context, module: Any, function: Function, publishers: set[str]) -> Iterator[Finding]:
    messages = {param.name for param in function.params}
    acks = [call for call in function.calls if call.name == "ack" and dotted(call.receiver_node) in messages]
    sends = [call for call in function.calls if _sends(module, call, publishers)]
    for ack in acks:
        before = [call for call in sends if module.frames.follows(function, call, ack)]
        if before and not any(_waited_for(module, function, call, ack) for call in before):
            what = before[-1].name
            message = f"{what}() above only queues the record: when it is refused, or the program ends first, the message is acknowledged already and does not come again (wait for the answer before ack(), and nack() where there is none)"
            yield context.finding(
                message, module.call_place(ack), [(module.call_place(before[-1]), "only queued here")], covers=[module.covers(ack)]
            )
            return


def _publishers(module: Any) -> set[str]:
    """The names under which the module keeps clients of Pub/Sub that publish."""
    nodes = [statement.node for statement in module.tree.statements if isinstance(statement.node, ASSIGNMENTS)]
    made = [node for node in nodes if isinstance(node.value, cst.Call) and last_name(node.value.func) == "PublisherClient"]
    return {dotted(target) for node in made for target in targets(node)} - {""}


def _sends(module: Any, call: Call, publishers: set[str]) -> bool:
    if call.name == "publish":
        return dotted(call.receiver_node) in publishers
    kind = module.receiver_type(call) if call.name in ("send", "produce") else ""
    return kind in ("kafka.Producer", "confluent.Producer") and call.name in clients.SENDS[kind]


def _waited_for(module: Any, function: Function, call: Call, ack: Call) -> bool:
    """Whether the answer, or all answers, are waited for above the acknowledgement, or may be: the future is handed to somebody."""
    if call.use == "chained":
        return True
    name = module.assigned(call)
    for other in function.calls:
        if other.name in _WAITS and other.spot.statement <= ack.spot.statement:
            return True
        if name and other.name == "get" and dotted(other.receiver_node) == name:
            return True
        if name and other is not call and any(isinstance(arg.value, cst.Name) and arg.value.value == name for arg in other.node.args):
            return True
    return call.use not in ("dropped", "assigned") and not name
