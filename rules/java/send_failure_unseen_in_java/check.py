"""Deliveries of Kafka's Java producer that fail unseen: no callback, or one that does not look at the failure."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "send-unseen":
            message = "a delivery that fails is seen by nobody: `send` only queues the record, and the failure arrives in the future that is dropped here"
            yield context.finding(message, oddity)
        elif oddity.kind == "send-callback-deaf":
            message = f"a delivery that fails is seen by nobody: the callback is called for it as well, with metadata of -1, and never looks at `{oddity.subject}`"
            yield context.finding(message, oddity, confidence="medium")
