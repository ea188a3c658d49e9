"""`except BufferError`, or one for everything, around `produce()` that waits or logs, and goes on with the next record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import catches_all, caught, endless, reraises
from shoal.python.tree import Call, descend
from shoal.python.values import names

_CLOCKS = ("time.", "datetime.")
# What a handler may do that does not keep the record.
_IDLE = names(
    "print write error warning warn info debug critical exception log flush poll sleep len str repr format metrics inc format_exc print_exc"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    seen: list[Any] = []  # a handler for several calls is told of once
    for call in module.named("produce"):
        if module.receiver_type(call) != "confluent.Producer":
            continue
        for guard in call.spot.guarded:
            handler = _handler(guard, guard is call.spot.guarded[-1])
            if (
                handler is None
                or any(one is handler for one in seen)
                or reraises(handler)
                or _tried_again(module, call, guard)
                or not _idle(module, handler)
            ):
                continue
            seen.append(handler)
            message = (
                "this record is lost: produce() did not take it, and nobody calls it again (poll, then produce the same record once more)"
            )
            related = [(module.call_place(call), "raises BufferError when the queue is full")]
            yield context.finding(message, module.handler_place(handler), related)
            break


def _handler(guard: Any, innermost: bool) -> Any:
    """The handler that a full queue leads to; one for everything far around is there for other things."""
    handlers = getattr(guard, "handlers", ())
    own = next((one for one in handlers if "BufferError" in caught(one)), None)
    return own or (next((one for one in handlers if catches_all(one)), None) if innermost else None)


def _idle(module: Any, handler: cst.ExceptHandler) -> bool:
    """Whether a handler only logs and waits: it keeps the record nowhere, and tells nobody by what it returns."""
    if any(clients.inside(call.spot, handler) and call.name not in _IDLE for call in module.calls):
        return False
    return not any(_tells(node) for node in descend(handler.body))


def _tells(node: Any) -> bool:
    """Whether a caller or the code below may learn from it that the record is still there."""
    return isinstance(node, (cst.Assign, cst.Yield)) or (isinstance(node, cst.Return) and node.value is not None)


def _tried_again(module: Any, call: Call, guard: Any) -> bool:
    """Whether the loop around is there for another try: one that success leaves, or that counts what was produced; one that runs for some time is not."""
    if any(isinstance(node, (cst.Break, cst.Return)) for part in (guard.body, guard.orelse) if part is not None for node in descend(part)):
        return True
    loop = call.spot.loop
    return isinstance(loop, cst.While) and not endless(loop) and not _timed(module, loop, call)


def _timed(module: Any, loop: cst.While, call: Call) -> bool:
    """`while time.time() < end:`, around records that the loop itself makes: the next round has another one."""
    clocks = [
        one for one in module.named("time", "monotonic", "perf_counter", "now", "utcnow") if module.qualified(one).startswith(_CLOCKS)
    ]
    asked = {id(node) for node in descend(loop.test)}
    record = call.argument(1, "value")
    said = {node.value for node in descend(record) if isinstance(node, cst.Name)} if record is not None else set()
    made = {
        target.target.value
        for node in descend(loop.body)
        if isinstance(node, cst.Assign)
        for target in node.targets
        if isinstance(target.target, cst.Name)
    }
    return any(id(one.node) in asked for one in clocks) and bool(said & made)
