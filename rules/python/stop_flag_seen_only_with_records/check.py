"""`for record in consumer: if stopped: break`, where a handler of SIGTERM does no more than set the flag: the loop waits for a record to look at it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python import clients, handlers, signals
from shoal.python.tree import ASSIGNMENTS, Function, descend, dotted, evaluated, last_name, targets

_SETS = handlers.LOGS | {"set", "getLogger", "Signals", "get_running_loop", "get_event_loop"}
_STOPS = pattern(r"(?i)^_*(?:request_|trigger_|graceful_)?(?:stop|shutdown|shut_down|terminate|halt)\w*$")
# What ends the wait for a record: the consumer is stopped, its task cancelled, the process left.
_WAKES = ("cancel", "wakeup")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if module.named(*_WAKES) or "cancel" in module.tree.attribute_names:
        return
    for statement in module.tree.statements:
        loop = statement.node
        if not isinstance(loop, cst.For) or not _waits(module, loop, statement.spot):
            continue
        for inner in module.tree.statements:
            if not isinstance(inner.node, cst.If) or inner.spot.loop is not loop or not _leaves(inner.node):
                continue
            flag, event = _flag(inner.node.test)
            how = _set(module, flag, event, inner.spot.function) if flag and not _ended(module, flag, inner.spot.function) else ""
            if how:
                message = f"{flag} is looked at only when a record has come: {how}, and a loop over a quiet topic goes on waiting until it is killed (poll with a timeout, or stop the consumer)"
                confidence = "low" if how.startswith("whoever") else ""
                yield context.finding(
                    message,
                    module.place(inner.node.test, inner.spot),
                    [(module.place(loop.iter, statement.spot), "waits here")],
                    confidence=confidence,
                )
                break


def _waits(module: Any, loop: cst.For, spot: Any) -> bool:
    """Whether a loop is over a consumer that waits for the next record as long as it takes."""
    if any(obj.type == "aiokafka.Consumer" for obj in module.objects(loop.iter, spot)):
        return loop.asynchronous is not None
    return bool(clients.over_a_topic(module, loop, spot))


def _leaves(node: cst.If) -> bool:
    """Whether an `if` does no more than leave the loop."""
    return any(isinstance(part, (cst.Break, cst.Return)) for part in descend(node.body)) and handlers.called(node.body) <= handlers.LOGS


def _flag(test: Any) -> tuple[str, bool]:
    """The name of what a condition looks at, and whether that is an event: `not self.running`, `stop.is_set()`."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        test = test.expression
    if isinstance(test, cst.Call) and not test.args and isinstance(test.func, cst.Attribute) and test.func.attr.value == "is_set":
        return dotted(test.func.value), True
    return (dotted(test), False) if isinstance(test, (cst.Name, cst.Attribute)) else ("", False)


def _ended(module: Any, flag: str, looking: Function | None) -> bool:
    """Whether something may end the loop from outside: it waits for the event, or stops the consumer."""
    return any(dotted(call.receiver_node) == flag for call in module.named("wait") if call.receiver_node is not None) or any(
        call.function is not looking and module.receiver_type(call) in clients.CONSUMERS
        for call in module.named("stop", "close", "unsubscribe")
    )


def _set(module: Any, flag: str, event: bool, looking: Function | None) -> str:
    """How a flag is set, where all that set it do nothing else; empty where one may wake the loop, or nothing here sets it."""
    setters: list[Function] = []
    handed = False
    for statement in module.tree.statements:
        function = statement.spot.function
        if event and any(isinstance(part, cst.Attribute) and dotted(part) == f"{flag}.set" for part in evaluated(statement.node)):
            registers = any(isinstance(part, cst.Call) and last_name(part.func) in signals.REGISTERS for part in evaluated(statement.node))
            handed = handed or registers
        else:
            registers = event or not (isinstance(statement.node, ASSIGNMENTS) and _falls(statement.node.value))
            registers = registers or not any(dotted(one) == flag for one in targets(statement.node))
        if not registers and function is not None and function is not looking and function.name != "__init__":
            setters.append(function)
    if any(not {call.name for call in function.calls} <= _SETS or _raises(function) for function in setters):
        return ""
    if handed or any(_handles_signal(module, function) for function in setters):
        return "the handler of the signal does no more than set it"
    return "whoever sets it does no more" if setters and all(_STOPS.match(function.name) for function in setters) else ""


def _falls(value: Any) -> bool:
    return isinstance(value, cst.Name) and value.value in ("True", "False")


def _raises(function: Function) -> bool:
    return any(isinstance(part, cst.Raise) for part in descend(function.body))


def _handles_signal(module: Any, function: Function) -> bool:
    """Whether a function is a handler of a signal, or stands in one."""
    return any(function in handlers for _, _, handlers in signals.handled(module))
