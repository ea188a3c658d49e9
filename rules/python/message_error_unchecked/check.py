"""`consumer.poll()` and `.value()` in a module that never calls `.error()`, or where an error is only told and the message used all the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients, elsewhere
from shoal.python.tree import Call, descend, dotted, last_name
from shoal.python.values import names

# What tells somebody, and does not end the way.
_TELLS = names(
    "print error warning exception info debug warn critical log write format str repr code name fatal retriable topic partition offset inc labels"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    asked = [call for call in module.named("error") if call.receiver_node is not None and not call.node.args]
    values = [call for call in module.named("value") if not call.node.args and module.receiver_type(call) == "confluent.Message"]
    if asked:
        yield from _told_only(module, context, asked, values)
        return
    for call, made in [*((call, module.receivers(call)[0]) for call in values), *_collected(module)]:
        if "DeserializingConsumer" in _constructor(module, made):
            continue  # raises for errors
        message = "a message may stand for an error (a lost partition, an unknown topic), and its value is then the error's text: look at error() first"
        yield context.finding(
            message, module.call_place(call), [(module.place(made.node, made.spot), "polled here")], covers=[module.covers(call)]
        )
        return
    yield from _handed_on(module, context)


def _handed_on(module: Any, context: Context) -> Iterator[Finding]:
    """Messages that are given, as they were polled, to a function of another module, which takes their value."""
    if not module.named("poll", "consume"):
        return
    for call in module.calls:
        if not call.node.args or not isinstance(call.node.func, (cst.Name, cst.Attribute)) or module.target(call) is not None:
            continue
        polled = [obj for arg in call.node.args for obj in module.objects(arg.value, call.spot) if obj.type == "confluent.Message"]
        if not polled or "DeserializingConsumer" in _constructor(module, polled[0]):
            continue
        said = module.others.said(module.others.callee(call.node.func, call.spot), elsewhere.VALUES)
        if said is not None:
            message = f"a message may stand for an error (a lost partition, an unknown topic), and its value, which {call.name}() takes, is then the error's text: look at error() first"
            related = [said, (module.place(polled[0].node, polled[0].spot), "polled here")]
            yield context.finding(message, module.call_place(call), related, covers=[module.covers(call)])
            return


def _collected(module: Any) -> Iterator[tuple[Call, Any]]:
    """Values of messages that were put into a list one by one, with the messages."""
    kept = {}
    for call in module.named("append"):
        polled = [obj for arg in call.node.args for obj in module.objects(arg.value, call.spot) if obj.type == "confluent.Message"]
        if polled and call.receiver_node is not None:
            kept[dotted(call.receiver_node), id(call.function)] = polled[0]
    for call in module.named("value") if kept else ():
        if call.node.args or not isinstance(call.receiver_node, cst.Name):
            continue
        within = [
            *call.spot.loops,
            *(part for part in descend(module.tree.statements[call.spot.statement].node) if isinstance(part, cst.CompFor)),
        ]
        over = [
            dotted(one.iter) for one in within if isinstance(one, (cst.For, cst.CompFor)) and dotted(one.target) == call.receiver_node.value
        ]
        for name in over:
            if (name, id(call.function)) in kept:
                yield call, kept[name, id(call.function)]


def _told_only(module: Any, context: Context, asked: list[Call], values: list[Call]) -> Iterator[Finding]:
    """`if message.error(): print(…)`, and on to the value."""
    tests = [
        call for call in asked if module.receiver_type(call) == "confluent.Message" and clients.where_wrong(_test(module, call), call.node)
    ]
    for call in tests:
        node = module.tree.statements[call.spot.statement].node
        within = list(descend(node.body))
        if any(isinstance(part, cst.Call) and last_name(part.func) not in _TELLS for part in within):
            continue
        if any(other is not call and _decides(module, other, within) for other in asked):
            continue
        used = next((value for value in values if _goes_on(module, call, node, within, value, asked)), None)
        if used is not None:
            message = "the error is told, and the message goes on as a record all the same: its value is the error's text (continue, or raise, after telling)"
            yield context.finding(
                message,
                module.call_place(call),
                [(module.call_place(used), "taken for a record's value here")],
                severity="warning",
                confidence="medium",
                covers=[module.covers(call)],
            )


def _goes_on(module: Any, call: Call, node: Any, within: list[Any], value: Call, asked: list[Call]) -> bool:
    """Whether the branch for errors comes out at a message's value in the same round."""
    polled = {id(obj.node): obj for obj in module.receivers(call)}
    if (
        call.function is not value.function
        or any(part is value.node for part in within)
        or any(arm.kind == "except" for arm in value.spot.arms)
    ):
        return False
    if not any(id(obj.node) in polled for obj in module.receivers(value)):
        return False
    statements = module.tree.statements
    again = [statements[obj.spot.statement].node for obj in polled.values()]
    others = [statements[other.spot.statement].node for other in asked if other is not call]
    raised = [handler for statement in call.spot.guarded for handler in getattr(statement, "handlers", ())]
    first = node.body.body[0]
    start = first.body[0] if isinstance(first, cst.SimpleStatementLine) else first
    return module.flow(call.function).reaches(  # type: ignore[no-any-return]
        start,
        [statements[value.spot.statement].node],
        [*again, *call.spot.loops, *raised, *(one for one in others if isinstance(one, cst.If))],
    )


def _test(module: Any, call: Call) -> Any:
    """The condition that a call is part of."""
    node = module.tree.statements[call.spot.statement].node
    return node.test if isinstance(node, cst.If) else None


def _decides(module: Any, call: Call, within: list[Any]) -> bool:
    """Whether a call asks once more, inside the branch, whether there is an error: `elif message.error(): raise`, which always holds there."""
    return any(part is call.node for part in within) and clients.where_wrong(_test(module, call), call.node) is not None


def _constructor(module: Any, message: Any) -> str:
    return message.source.call if message.source is not None else ""
