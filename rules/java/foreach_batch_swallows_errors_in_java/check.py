"""A handler around a write of a function of foreachBatch that does no more than log."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """What a client is told besides may be no row: `sendAlert()`."""
    for oddity in job.oddities:
        if oddity.kind in ("batch-swallowed", "batch-of-client-swallowed"):
            message = f"a {oddity.subject}() that fails is {oddity.detail} here and the batch counts as done: its offsets are committed and its rows are lost; throw it, and Spark does the batch again"
            yield context.finding(message, oddity, confidence="" if oddity.kind == "batch-swallowed" else "medium")
