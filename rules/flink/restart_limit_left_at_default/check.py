"""Limits whose default hardly anyone wants."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import lookup

_LIMITS = {
    "fixeddelay": ("restart-strategy.fixed-delay.attempts", "it is restarted once, and the second failure ends it"),
    "failurerate": ("restart-strategy.failure-rate.max-failures-per-interval", "the second failure within a minute ends it"),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment", "sessionjob", "job", "session")):
        kind = job.get(block, "restart-strategy.type")
        if block.open or kind is None or not kind.known:
            continue
        limit = _LIMITS.get(kind.text.strip().lower().replace("-", ""))
        if limit is None or lookup(job, block, limit[0]) is not None:
            continue
        interval = lookup(job, block, "restart-strategy.failure-rate.failure-rate-interval")
        if interval is not None and limit[0].endswith("per-interval"):
            words = f"the second failure within {interval.text.strip()} ends it"
        else:
            words = limit[1]
        message = f"a job gets one chance: {words}, because {limit[0]} is not set and its default is 1"
        yield context.finding(message, kind, confidence={"cluster": "", "deployment": "", "session": "low"}.get(block.role, "medium"))
