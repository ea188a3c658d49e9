"""The capacity of `AsyncDataStream.orderedWait` and its three sisters in Java."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink


def check(job: Job, context: Context) -> Iterator[Finding]:
    for usage in job.usages("async-capacity"):
        room = int(usage.detail)
        if room <= 0:
            yield context.finding("the job fails at its start: the capacity must be larger than 0", usage.place)
        elif told := flink.capacity_extreme(room):
            yield context.finding(told, usage.place, severity="info", confidence="low")
