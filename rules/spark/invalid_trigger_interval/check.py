"""`trigger(processingTime=…)` and `trigger(continuous=…)`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.values import Bad
from shoal.values.spark import parse_trigger


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("writer",)):
        for key in ("trigger.processingTime", "trigger.continuous"):
            found = job.get(block, key)
            value = parse_trigger(found.text) if found is not None and found.known else None
            if found is not None and isinstance(value, Bad):
                hint = f"; write `{value.suggestion}`" if value.suggestion else ""
                yield context.finding(f"the query fails to start: a trigger cannot be `{found.text}`, {value.why}{hint}", found)
