"""`group.id` with a random part or the time of the start."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.clients(job, "consumer"):
        group = kafka.find(job, block, "group.id")
        if group is None or group.known or not kafka.RANDOM.search(group.text):
            continue
        message = (
            "the group is another one at every start: what the last run committed is never found again, so records are read twice or skipped "
            "as auto.offset.reset says, and the old groups stay with the brokers"
        )
        yield context.finding(message, group)
