"""The capacity of `AsyncDataStream.orderedWait` and its three sisters in Java."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_MANY = 10_000


def check(job: Job, context: Context) -> Iterator[Finding]:
    for usage in job.usages("async-capacity"):
        room = int(usage.detail)
        if room <= 0:
            yield context.finding("the job fails at its start: the capacity must be larger than 0", usage.place)
        elif room == 1:
            message = "room for one request: they go out one after the other, each record waits for the answer to the one before"
            yield context.finding(message, usage.place, severity="info", confidence="low")
        elif room >= _MANY:
            message = f"up to {room} open requests: their records are part of each checkpoint, and are all asked for again at once after a restore"
            yield context.finding(message, usage.place, severity="info", confidence="low")
