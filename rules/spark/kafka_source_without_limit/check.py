"""`readStream` of Kafka from the earliest offsets without `maxOffsetsPerTrigger`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark
from shoal.templates.common import text


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Once in a job; only where a query reads a topic from its start, and not for what is only printed or runs in one process."""
    if spark.only_shown(job):
        return
    for block in job.select("spark", ("reader",)):
        start, parent = spark.option(job, block, "startingOffsets"), job.parent(block)
        if (
            block.open
            or block.trait("format") != "kafka"
            or text(start) != "earliest"
            or (parent is not None and spark.is_local(job, parent))
        ):
            continue
        if start is not None and spark.option(job, block, "maxOffsetsPerTrigger") is None:
            message = "the first batch is the whole topic, and the one after a downtime all that came meanwhile: nothing limits it (maxOffsetsPerTrigger)"
            yield context.finding(message, start)
            return
