"""`kafka.group.id` on a streaming source."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader",)):
        found = spark.option(job, block, "kafka.group.id") if block.trait("format", "kafka") == "kafka" else None
        if found is not None:
            message = (
                "two queries with this group, or a restart before the old one has left, share the topic's partitions and each reads a part only: "
                "Spark gives every query a group of its own unless kafka.group.id is set"
            )
            yield context.finding(message, found)
