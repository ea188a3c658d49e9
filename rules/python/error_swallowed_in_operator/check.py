"""`except Exception: pass` (or a log line) where an engine hands over records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.flow import catches_all
from shoal.python.tree import dotted
from shoal.python.values import names

_LOGS = names("debug info warning warn error exception critical log print print_exc inc")


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running("operator", "timer", "dofn", "agent"):
        if where.kind == "dofn" and where.entry.name in ("finish_bundle", "start_bundle"):
            continue
        for statement in module.tree.statements:
            handler = statement.node
            if statement.spot.function is not function or not isinstance(handler, cst.ExceptHandler) or not catches_all(handler):
                continue
            if where.kind == "agent" and not where.through and not statement.spot.in_loop():
                continue  # that ends the agent, it drops no record
            logged = _only_logs(handler)
            if logged is None:
                continue
            put = "a topic of its own" if where.kind == "agent" else "a side output"
            how = "logged" if logged else "dropped without a word"
            message = (
                f"a record that fails here is {how} {where.told()}, and counts as processed: send it to {put}, so that it can be read again"
            )
            yield context.finding(message, module.place(handler.type or handler, statement.spot), confidence="low" if logged else "")


def _only_logs(handler: Any) -> bool | None:
    """Whether a handler does nothing (False) or only logs (True); None when it does more."""
    logged = False
    body = handler.body.body
    for line in body:
        smalls = line.body if isinstance(line, cst.SimpleStatementLine) else [line]
        for small in smalls:
            if isinstance(small, (cst.Pass, cst.Continue)):
                continue
            if isinstance(small, cst.Return) and (
                small.value is None or (isinstance(small.value, cst.Name) and small.value.value == "None")
            ):
                continue
            if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) and dotted(small.value.func).rsplit(".", 1)[-1] in _LOGS:
                logged = True
                continue
            return None
    return logged
