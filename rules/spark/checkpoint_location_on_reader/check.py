"""`checkpointLocation` on `readStream`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader",)):
        found = spark.option(job, block, "checkpointLocation")
        if found is not None:
            message = "this checkpoint location has no effect: a source has none, it belongs on writeStream, where each query needs its own"
            yield context.finding(message, found)
