"""Where an error ends a function that takes a Kafka consumer's records: nothing in it catches what raises there, and so it ends with whoever runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.model import Place
from shoal.python import clients
from shoal.python.elsewhere import ENDS
from shoal.python.flow import catches_all, reraises
from shoal.python.tree import contains
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Call, Function, Spot

# Calls in a loop that raise nothing of their own.
_HARMLESS = frozenset({"print", "debug", "info", "warning", "error", "exception", "str", "len", "sleep", "commit", "is_set", "time"})
# What tells others that a function has ended, or ends the program.
_TELLS = pattern(r"(?i)^(?:_exit|exit|kill|set|set_exception|interrupt_main|raise_signal|put|put_nowait|abort|restart)$")
_LEVELS = 3


class Ending(NamedTuple):
    """`at` ends the function, because of `why`."""

    at: Place
    why: str


def of(module: Module, function: Function) -> Ending | None:
    """What ends a function that takes records, itself or in what it calls, here or in another module."""
    return _of(module, function, clients.all_record_loops(module), _LEVELS)


def _of(module: Module, function: Function, loops: set[int], levels: int) -> Ending | None:
    if any(_TELLS.match(call.name) for call in function.calls if call.spot.cleanup or any(arm.kind == "except" for arm in call.spot.arms)):
        return None
    own = _in_loop(module, function, loops) or _at_start(module, function, loops)
    if own is not None or not levels:
        return own
    for call in function.calls:
        if (call.use not in ("awaited", "dropped", "yielded") and not _gone_through(module, call)) or caught(call):
            continue
        target = module.target(call)
        if target is not None:
            found = (
                _of(module, target, loops, levels - 1) if target is not function and target.is_async == (call.use == "awaited") else None
            )
        else:
            found = elsewhere(module, call.node.func, call.spot)
        if found is not None:
            return found
    return None


def elsewhere(module: Module, func: Any, spot: Spot) -> Ending | None:
    """The same of a function or method of another module of the project that an expression names, as that says."""
    said = module.others.said(module.others.callee(func, spot), ENDS)
    return Ending(*said) if said is not None else None


def caught(call: Call) -> bool:
    """Whether what a call raises is caught around it, and not raised again."""
    return any((catches_all(one) or clients.catches_failures(one)) and not reraises(one) for one in clients.handlers(call))


def _in_loop(module: Module, function: Function, loops: set[int]) -> Ending | None:
    """The loop of a function over a consumer's records in which, and around which, nothing catches what the work on them raises."""
    for statement in module.tree.statements:
        if id(statement.node) not in loops or statement.spot.function is not function:
            continue
        inside = [call for call in function.calls if any(loop is statement.node for loop in call.spot.loops)]
        if any(not caught(call) and works(module, call) for call in inside):
            part = statement.node.iter if isinstance(statement.node, cst.For) else statement.node.test
            return Ending(module.place(part, statement.spot), "any error ends this")
    return None


def works(module: Module, call: Call) -> bool:
    """Whether a call may fail at the work on a record: it neither asks a consumer for records, nor one of them what it is, nor only tells."""
    asks = module.receiver_type(call) in clients.CONSUMERS or call.name in ("error", "code", "value", "key", "topic", "partition", "offset")
    return not asks and call.name not in _HARMLESS and not any(arm.kind == "except" for arm in call.spot.arms)


def _at_start(module: Module, function: Function, loops: set[int]) -> Ending | None:
    """What raises in a function that takes records when it finds no broker: `start()` of aiokafka, kafka-python's constructor."""
    if not any(one.spot.function is function and id(one.node) in loops for one in module.tree.statements):
        return None
    makers = {id(made) for made, consumer in clients.made(module, clients.CONSUMERS) if consumer.type == "kafka.Consumer"}
    for call in function.calls:
        starts = call.name == "start" and call.use == "awaited" and module.receiver_type(call) == "aiokafka.Consumer"
        if (starts or id(call) in makers) and not caught(call):
            return Ending(module.call_place(call), "raises when no broker answers yet")
    return None


def _gone_through(module: Module, call: Call) -> bool:
    """Whether a loop goes through what a call gives: a generator of records."""
    node = module.tree.statements[call.spot.statement].node
    return isinstance(node, cst.For) and contains(node.iter, call.node)
