"""`while True` with no way out, on a task thread."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.clients import endless
from shoal.python.contexts import TASK
from shoal.python.flow import ALL


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for function, where in module.contexts.running(*TASK, "foreach", "foreach-batch", "async", "open"):
        for statement in module.tree.statements:
            if statement.spot.function is not function or not isinstance(statement.node, cst.While) or not endless(statement.node):
                continue
            if module.flow(function).escapes(statement.node, (), ALL):
                continue
            message = f"this loop has no way out {where.told()}: no further record, timer or checkpoint barrier is ever handled, and a cancel is not seen"
            yield context.finding(message, module.place(statement.node.test, statement.spot))
