"""Sources that Spark refuses to read. Tried on Spark 4.3, but for the Kafka source, whose checks are those of its KafkaSourceProvider."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

# Files whose columns nobody knows before they are read.


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader",), ("python",)):
        if block.open or not block.trait("loads"):
            continue
        why = spark.source_lacks(job, block, inferred=spark.INFERS in context.module.text.text)
        if why:
            yield context.finding(f"the query fails to start: {why}", block)
