"""`SPARK_WORKER_MEMORY` and `SPARK_DAEMON_MEMORY` of a service, against what its container may use."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.values.containers import compose_memory

_WORKER = "SPARK_WORKER_MEMORY"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind != "spark-memory-above-limit":
            continue
        name, _, told = oddity.subject.partition("=")
        if name == _WORKER:
            executors = f"the worker offers executors {told}, and its container may use {oddity.detail}"
            above = (compose_memory(told) or 0) > (compose_memory(oddity.detail) or 0)
            message = (
                f"{executors}: one that takes what is offered is killed"
                if above
                else f"{executors}, the worker's own JVM among it: once executors use what they are offered, one of them is killed"
            )
        else:
            message = f"the daemon is killed once it uses its heap: {name} gives it {told}, and its container may use {oddity.detail}"
        yield context.finding(message, oddity, oddity.related)
