"""`spark.speculation=true` beside signs of a streaming query."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("defaults", "application", "submit", "job")):
        found = job.get(block, "spark.speculation")
        sign = spark.streaming_sign(job, block)
        if found is not None and spark.text(found) == "true" and (sign or spark.reads_kafka(job, block)):
            message = "slow tasks run twice: what foreach or foreachBatch sends to another system from inside a task may be sent twice"
            yield context.finding(message, found, [(sign, "streaming")] if sign else [])
