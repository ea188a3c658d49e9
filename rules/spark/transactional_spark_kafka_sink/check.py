"""`kafka.transactional.id` on a writer: Spark never begins a transaction."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("writer",)):
        found = spark.option(job, block, "kafka.transactional.id")
        if found is not None and block.trait("format", "kafka") == "kafka":
            message = "every write fails: Spark's producers never call initTransactions, which a producer with a transactional.id needs; the sink is at-least-once and nothing more"
            yield context.finding(message, found)
