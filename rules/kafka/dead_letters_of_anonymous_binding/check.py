"""`enableDlq` without `group`: KafkaMessageChannelBinder of 4.1.4 and 4.3.0 throws "DLQ support is not available for anonymous subscriptions"."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spring


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in spring.bindings(job, "consumer"):
        asked = spring.dead_letters(job, block)
        if asked and spring.anonymous(job, block):
            message = f"{block.name} does not start: it has no group, and the binder has no dead letter topics for anonymous ones"
            yield context.finding(message, asked)
