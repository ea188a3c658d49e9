"""`group.instance.id` with a random part or the time of the start."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, made_up


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.clients(job, "consumer"):
        member = kafka.find(job, block, "group.instance.id")
        if member is None or not made_up.anew(context, member):
            continue
        message = (
            "each start is another static member: the broker waits for the last one until session.timeout.ms is over, for a static member does "
            "not leave the group when it closes, and nobody reads its partitions meanwhile (a name that stays, or no group.instance.id)"
        )
        yield context.finding(message, member)
