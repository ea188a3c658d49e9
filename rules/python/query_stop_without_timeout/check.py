"""`query.stop()` in a signal handler, with no limit to how long it waits."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python import signals

_TIMEOUT = "spark.sql.streaming.stopTimeout"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if job.anywhere("spark", _TIMEOUT):
        return
    for _, _, functions in signals.handled(module):
        for function in functions:
            for stop in function.calls:
                if stop.name == "stop" and any(one.type == "spark.StreamingQuery" for one in module.receivers(stop)):
                    message = f"waits for the batch that runs without an end: {_TIMEOUT} is not set, and what heeds no interrupt holds this up until the process is killed"
                    yield context.finding(message, module.call_place(stop))
