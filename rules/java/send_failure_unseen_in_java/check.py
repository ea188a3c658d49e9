"""Deliveries of Kafka's Java producer that fail unseen: no callback, one that does not look at the failure, or a wait whose failure is only logged."""

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
        elif oddity.kind == "send-failure-logged":
            message = f"a record that the brokers do not take is lost here: this is only logged, and whoever calls {oddity.subject}() goes on as though it were sent (throw it on, or say so in what is returned)"
            yield context.finding(message, oddity)
