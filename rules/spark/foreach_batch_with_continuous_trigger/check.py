"""`foreachBatch` with `trigger(continuous=…)`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("writer",)):
        found = job.get(block, "trigger.continuous")
        if found is not None and block.trait("foreachBatch") == "true":
            yield context.finding("the query fails to start: a continuous trigger makes no batches, foreachBatch needs them", found)
