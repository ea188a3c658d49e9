"""A dropped send future inside a `try`: the handler looks as if it handled delivery failures, and never sees one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import clients
from shoal.python.flow import reraises
from shoal.python.tree import Call, alone, last_name

_SAYING = ("print", "print_exc", "debug", "info", "warning", "warn", "error", "exception", "critical", "log")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named("send", "produce"):
        kind = module.receiver_type(call)
        if kind == "kafka.Producer" and call.name == "send":
            if not clients.unheard(module, call):
                continue
            how, remedy = (
                "send() only queues the record and gives its failure to the future it returns, which is dropped",
                "future.get(timeout=…) or add_errback",
            )
            if any(
                other.function is call.function and other.spot.statement > call.spot.statement and other.name == "flush"
                for other in module.named("flush")
            ):
                how += "; flush() raises no delivery error either"
        elif kind == "aiokafka.Producer" and call.name == "send" and (_awaited_alone(module, call) or clients.put_by(module, call)):
            kept = "dropped" if _awaited_alone(module, call) else "put into a list that nobody looks into"
            how, remedy = f"await send() only queues the record and gives back a future, which is {kept}", "await send_and_wait(…)"
        else:
            continue
        handler = next((handler for handler in clients.handlers(call) if clients.catches_failures(handler)), None)
        if handler is None or not _judges(handler):
            continue
        message = f"{how}: this try never sees a failed delivery, and what follows counts the record as sent ({remedy})"
        confidence = "low" if _only_says(handler) or _around_loop(module, call, handler) else ""
        yield context.finding(message, module.call_place(call), confidence=confidence, covers=[module.covers(call)])


def _around_loop(module: Any, call: Call, handler: Any) -> bool:
    """Whether the `try` is around a whole loop that sends: it hardly means the delivery of one record."""
    loops = call.spot.loops
    return any(
        any(handler in getattr(guard, "handlers", ()) for guard in statement.spot.guarded)
        for statement in module.tree.statements
        if any(statement.node is loop for loop in loops)
    )


def _awaited_alone(module: Any, call: Call) -> bool:
    return call.use == "awaited" and alone(module.tree, call)


def _only_says(handler: Any) -> bool:
    """Whether the handler does no more than to print or log."""
    return all(
        isinstance(line, cst.SimpleStatementLine)
        and all(isinstance(small, (cst.Pass, cst.Continue)) or (isinstance(small, cst.Expr) and _says(small.value)) for small in line.body)
        for line in handler.body.body
    )


def _says(node: Any) -> bool:
    return isinstance(node, cst.Call) and last_name(node.func) in _SAYING


def _judges(handler: Any) -> bool:
    """Whether the handler makes something of the failure: answers False, counts, retries, raises something of its own."""
    body = handler.body.body
    if reraises(handler):
        return True
    return any(not isinstance(small, cst.Pass) for line in body if isinstance(line, cst.SimpleStatementLine) for small in line.body)
