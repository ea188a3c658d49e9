"""`foreachBatch` with `trigger(continuous=…)`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("writer",)):
        found = job.get(block, "trigger.continuous")
        if found is None or block.trait("foreachBatch") != "true":
            continue
        # a writer that knows every trigger is given one of them by its caller, who may give no function
        if found.known or found.sure != "branch":
            yield context.finding("the query fails to start: a continuous trigger makes no batches, foreachBatch needs them", found)
