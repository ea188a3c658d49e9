"""Sources that Spark refuses to read. Tried on Spark 4.3, but for the Kafka source, whose checks are those of its KafkaSourceProvider."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader",), ("python",)):
        if block.open or not block.trait("loads"):
            continue
        why = spark.source_lacks(job, block, _inferred(job, context))
        if why:
            yield context.finding(f"the query fails to start: {why}", block)


def _inferred(job: Job, context: Context) -> bool:
    """Whether the session may be told to infer schemas, in whatever way; an option of a stream does not tell it."""
    options = [setting for setting in job.anywhere("spark", f"spark.sql.{spark.INFERS}") if spark.is_option(job, setting)]
    return bool(context.module.text.text.count(spark.INFERS) > len(options))
