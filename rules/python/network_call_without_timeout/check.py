"""HTTP, gRPC and database calls that wait for ever, in code an engine runs for each record."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import blocking
from shoal.python.contexts import TASK


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, where in module.contexts.calls(*TASK, "foreach", "foreach-batch", "async", "open"):
        found = blocking.network(module, call)
        if found is None:
            continue
        if where.kind == "foreach-batch" and found.what.startswith(("psycopg", "a Redis")):
            continue  # one connection a batch; the driver's own timeouts bound the query
        effect = {
            "foreach-batch": "the query makes no progress, and says nothing, until it answers",
            "open": "the task never leaves its start until it answers",
            "async": "the event loop of all requests stands still until it answers",
        }.get(where.kind, "the task takes no record, timer or checkpoint barrier until it answers")
        message = f"{found.what} has no timeout {where.told()}: when the other side hangs, {effect}"
        severity = "info" if where.kind == "open" and not found.what.startswith("a Redis") else ""
        yield context.finding(message, module.call_place(call), severity=severity, covers=[module.covers(call)])
