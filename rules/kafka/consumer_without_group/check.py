"""`Consumer` of confluent-kafka without `group.id`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("consumer",)):
        if kafka.library(block) != "confluent-kafka" or block.open or kafka.find(job, block, "group.id"):
            continue
        if kafka.find(job, block, kafka.SERVERS):  # else the rest comes from somewhere
            yield context.finding(
                "the consumer refuses to start: confluent-kafka needs a group.id, also where no offsets are committed", block
            )
