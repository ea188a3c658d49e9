"""Operators with state that Flink names after their place in the graph: one finding for a job."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Where nothing checkpoints there is no state that a changed job could look for."""
    found = job.usages("no-uid")
    if not found or not tables.checkpoints(job) or tables.is_batch(job):
        return
    first, *others = found
    asked = "uidPrefix" if first.detail in ("forRowData", "forRow", "builderFor") else "uid"
    message = f"{first.detail} has no {asked}: Flink names its state after its place in the graph, and a savepoint does not fit the job any more once an operator is added or left out"
    yield context.finding(message, first.place._replace(label=first.detail), [(usage.place, "no uid either") for usage in others[:5]])
