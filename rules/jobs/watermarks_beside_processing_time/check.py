"""Watermarks that no operator of the job looks at."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Tables may go by a watermark that is not seen to be used, so nothing is said where there are some."""
    if job.kind != "job" or job.select("flink", ("table",)):
        return
    said = {usage.detail: usage for usage in reversed(job.usages("time"))}
    if "event" in said or "watermarks" not in said or "processing" not in said:
        return
    message = "nothing uses these watermarks: the job's windows and timers go by the clock, so records that come late, or again after an outage, are counted in whatever hour it is then"
    yield context.finding(message, said["watermarks"].place, [(said["processing"].place, "goes by the clock")])
