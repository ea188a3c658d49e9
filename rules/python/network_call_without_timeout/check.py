"""HTTP, gRPC and database calls that wait for ever, in code an engine runs for each record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import blocking, clients
from shoal.python.contexts import TASK


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call, where in module.contexts.calls(*TASK, "foreach", "foreach-batch", "async", "open"):
        found = blocking.network(module, call)
        if found is None:
            continue
        # one connection a batch; the driver's own timeouts bound the query
        bounded = where.kind == "foreach-batch" and found.what.startswith(("psycopg", "a Redis"))
        effect = {
            "foreach-batch": "the query makes no progress, and says nothing, until it answers",
            "open": "the task never leaves its start until it answers",
            "async": "the event loop of all requests stands still until it answers",
        }.get(where.kind, "the task takes no record, timer or checkpoint barrier until it answers")
        message = f"{found.what} has no timeout {where.told()}: when the other side hangs, {effect}"
        severity = "info" if bounded or (where.kind == "open" and not found.what.startswith("a Redis")) else ""
        yield context.finding(
            message, module.call_place(call), severity=severity, confidence="low" if bounded else "", covers=[module.covers(call)]
        )
    yield from _consumers(context, module)


def _consumers(context: Context, module: Any) -> Iterator[Finding]:
    """The same in the loop of a Kafka consumer, or in a function it calls: the consumer does not poll meanwhile."""
    for _, consumer in clients.made(module, clients.CONSUMERS):
        loops = clients.record_loops(module, consumer)
        if not loops:
            continue
        for call in module.calls:
            if module.contexts.of(call.function) or (call.function is not None and call.function.is_async):
                continue
            here = clients.in_loops(call.spot, loops)
            if not here and (
                call.function is None or not any(clients.in_loops(site.spot, loops) for site in module.call_sites(call.function))
            ):
                continue
            found = blocking.network(module, call)
            if found is None or found.what.startswith(("psycopg", "a Redis")):
                continue
            message = f"{found.what} has no timeout in the loop of a consumer: when the other side hangs, the consumer polls no more and is put out of its group after max.poll.interval.ms"
            yield context.finding(message, module.call_place(call), confidence="medium", covers=[module.covers(call)])
