"""Records that are only put into a producer's queue, and what waits until they are delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from shoal.lazy import pattern
from shoal.python import clients
from shoal.python.module import Module
from shoal.python.tree import Call, Function

if TYPE_CHECKING:
    from shoal.model import Place

# What makes a record and its offset one, or hears of deliveries before something else goes on.
DELIVERED = pattern(r"transactional|send_offsets_to_transaction|commit_transaction|send_and_wait|\.get\(timeout|\.get\(\d")
LEVELS = 3  # calls of the module's own functions that are followed


def queues(module: Module, call: Call) -> bool:
    """Whether a call sends a record, and nothing waits for what becomes of it."""
    return call.name in ("send", "produce") and module.receiver_type(call) in clients.PRODUCERS and only_queued(module, call)


def queued_by(module: Module, call: Call) -> Call | None:
    """The send in a function of this module that a call runs, where nothing in it may wait."""
    function = module.target(call)
    if function is None or call.use not in ("dropped", "awaited") or any(may_wait(module, inner) for inner in function.calls):
        return None
    return next((inner for inner in function.calls if queues(module, inner) and _of_a_record_that_is_well(inner)), None)


def _of_a_record_that_is_well(call: Call) -> bool:
    """Whether a send stands in no handler: one of dead letters does."""
    return not any(arm.kind in ("except", "finally") for arm in call.spot.arms)


def of(module: Module, function: Function) -> tuple[Place, str] | None:
    """The send in a function that other modules call, where nothing in it, and nobody in its module, may wait until that is delivered."""
    if DELIVERED.search(module.raw) or any(may_wait(module, inner) for inner in function.calls):
        return None
    sent = next((inner for inner in function.calls if not inner.spot.conditional and queues(module, inner)), None)
    return (module.call_place(sent), "only queued here") if sent is not None else None


def only_queued(module: Module, call: Call) -> bool:
    """Whether nothing waits for what becomes of a record: `await` of aiokafka's `send` waits for room alone, a callback for nothing."""
    statement = module.tree.statements[call.spot.statement].node
    if call.use == "awaited":
        of_aiokafka = module.receiver_type(call) == "aiokafka.Producer" and call.name == "send"
        return of_aiokafka and isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Await)
    if call.use == "chained":
        chain = [
            other.name
            for other in module.named("add_callback", "add_errback", "add_both", "get")
            if other.spot.statement == call.spot.statement
        ]
        return bool(chain) and "get" not in chain
    return call.use == "dropped"


def may_wait(module: Module, call: Call, levels: int = LEVELS) -> bool:
    """Whether a call may wait until what was sent is delivered: `flush()`, `poll()` for some time, `get()` of a future, or a function that calls one of these."""
    if call.name == "poll" and module.receiver_type(call) in clients.PRODUCERS:
        return not (call.node.args and module.constant(call.node.args[0].value, call.spot) == 0)
    if call.name in ("stop", "close") and module.receiver_type(call) in clients.PRODUCERS:
        return True
    if call.name in ("flush", "result", "gather", "wait"):
        return True
    function = module.target(call)
    return function is not None and (not levels or any(may_wait(module, inner, levels - 1) for inner in function.calls))
