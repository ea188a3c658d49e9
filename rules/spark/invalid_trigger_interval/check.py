"""`trigger(processingTime=…)`, `trigger(continuous=…)` and `trigger(realTime=…)`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.values import NANOS_PER_SECOND, Bad
from shoal.values.spark import parse_trigger

# Since PySpark 4.2; the least that a batch of real-time mode may last, by default, and the option that says another.
_LEAST_SECONDS = 5
_LEAST = "spark.sql.streaming.realTimeMode.minBatchDuration"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("writer",)):
        for key in ("trigger.processingTime", "trigger.continuous", "trigger.realTime"):
            found = job.get(block, key)
            value = parse_trigger(found.text) if found is not None and found.known else None
            if found is None or value is None:
                continue
            if isinstance(value, Bad):
                hint = f"; write `{value.suggestion}`" if value.suggestion else ""
                yield context.finding(f"the query fails to start: a trigger cannot be `{found.text}`, {value.why}{hint}", found)
            elif key == "trigger.realTime" and value.nanos < _LEAST_SECONDS * NANOS_PER_SECOND and not job.anywhere("spark", _LEAST):
                message = f"the query fails to start: a batch of real-time mode lasts {_LEAST_SECONDS} s at least ({_LEAST}); its length is not how long a record takes"
                yield context.finding(message, found)
