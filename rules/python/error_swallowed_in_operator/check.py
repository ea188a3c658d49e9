"""`except Exception: pass` (or a log line) where an engine hands over records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import catches_all
from shoal.python.tree import Function, descend, dotted
from shoal.python.values import names

_LOGS = names("debug info warning warn error exception critical log print print_exc inc")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("operator", "timer", "dofn", "agent", "step"):
        if where.kind == "dofn" and where.entry.name in ("finish_bundle", "start_bundle"):
            continue
        for statement in module.tree.statements:
            handler = statement.node
            if statement.spot.function is not function or not isinstance(handler, cst.ExceptHandler) or not catches_all(handler):
                continue
            if where.kind == "agent" and not where.through and not statement.spot.in_loop():
                continue  # that ends the agent, it drops no record
            if statement.spot.cleanup or any(arm.kind == "except" for arm in statement.spot.arms):
                continue  # after a failure that another handler has in hand
            logged = _only_logs(handler.body, _name(handler))
            if logged is None:
                continue
            put = "a topic of its own" if where.kind in ("agent", "step") else "a side output"
            how = "logged" if logged else "dropped without a word"
            message = (
                f"a record that fails here is {how} {where.told()}, and counts as processed: send it to {put}, so that it can be read again"
            )
            sure = not logged or (not where.through and _whole(function, handler))
            if (where.through and _answers(function)) or _counts(handler):
                sure = False  # it may be one field of a record that goes on without it; a metric is seen by whoever watches the job
            if sure and _one_value(function, handler) and not _whole(function, handler):
                sure = False
            yield context.finding(message, module.place(handler.type or handler, statement.spot), confidence="" if sure else "low")


def _answers(function: Function) -> bool:
    return any(node is not None and not (isinstance(node, cst.Name) and node.value == "None") for node, _ in function.returns)


def _one_value(function: Function, handler: Any) -> bool:
    """Whether what is tried only gives values to names, without which the record goes on."""
    for at in descend(function.body):
        if isinstance(at, cst.Try) and any(one is handler for one in at.handlers):
            lines = at.body.body
            return all(
                isinstance(line, cst.SimpleStatementLine) and all(isinstance(one, cst.Assign) for one in line.body) for line in lines
            )
    return False


def _whole(function: Function, handler: Any) -> bool:
    """Whether the record is surely lost: what is guarded is all that the function does with it, before and after nothing is given on."""
    if function.is_lambda:
        return False
    body = list(function.body.body)
    for _ in range(6):
        while body and _trivial(body[-1]):
            body.pop()
        if not body or any(_gives(statement) for statement in body[:-1]):
            return False
        last = body[-1]
        if isinstance(last, cst.Try) and any(one is handler for one in last.handlers):
            return True
        if not isinstance(last, (cst.Try, cst.For, cst.With, cst.If)) or (isinstance(last, cst.If) and last.orelse is not None):
            return False
        body = list(last.body.body)
    return False


def _trivial(statement: Any) -> bool:
    """`pass`, `return`, or a log line."""
    return isinstance(statement, cst.SimpleStatementLine) and all(_idle(small) or _logs(small) for small in statement.body)


def _gives(node: Any) -> bool:
    """Whether a statement yields something or calls something for what it does."""
    return any(
        isinstance(at, cst.Yield) or (isinstance(at, cst.Expr) and isinstance(at.value, cst.Call) and not _logs(at)) for at in descend(node)
    )


def _idle(small: Any) -> bool:
    if isinstance(small, cst.Return):
        return small.value is None or (isinstance(small.value, cst.Name) and small.value.value == "None")
    return isinstance(small, (cst.Pass, cst.Continue))


def _logs(small: Any) -> bool:
    return isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) and dotted(small.value.func).rsplit(".", 1)[-1] in _LOGS


def _counts(handler: Any) -> bool:
    """Whether a handler counts its records in a metric: `self.errors.inc()`."""
    return any(isinstance(at, cst.Call) and isinstance(at.func, cst.Attribute) and at.func.attr.value == "inc" for at in descend(handler))


def _only_logs(block: Any, name: str) -> bool | None:
    """Whether a handler does nothing (False) or only logs (True), now or after some more attempts; None when it does more."""
    logged = False
    for line in block.body:
        if isinstance(line, cst.If):
            arms = [line.body, line.orelse.body if isinstance(line.orelse, cst.Else) else line.orelse]
            inside = [_only_logs(arm, name) for arm in arms if isinstance(arm, cst.BaseSuite)]
            if None in inside or isinstance(line.orelse, cst.If) or _tells_apart(line.test, name):
                return None
            logged = logged or True in inside
            continue
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else [line]:
            if _logs(small):
                logged = True
            elif not _idle(small) and not _waits(small):
                return None
    return logged


def _waits(small: Any) -> bool:
    return isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) and dotted(small.value.func) in ("time.sleep", "sleep")


def _name(handler: Any) -> str:
    """What a handler calls its exception."""
    return str(handler.name.name.value) if handler.name is not None and isinstance(handler.name.name, cst.Name) else ""


def _tells_apart(test: Any, name: str) -> bool:
    """Whether a condition asks what has failed: such an error may be one that is expected."""
    return any(isinstance(at, cst.Call) or (isinstance(at, cst.Name) and at.value == name) for at in descend(test))
