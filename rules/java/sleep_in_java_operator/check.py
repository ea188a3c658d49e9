"""Sleeps on the task thread of operators in Java."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_WAITS = "on the thread that also handles checkpoint barriers, timers and watermarks: all of them wait"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """How long a variable makes it sleep is not known: low confidence."""
    for oddity in job.oddities:
        if oddity.kind == "sleep":
            yield context.finding(f"{oddity.subject} sleeps {oddity.detail} {_WAITS}", oddity)
        elif oddity.kind == "sleep-unknown":
            yield context.finding(f"{oddity.subject} sleeps (`{oddity.detail}`) {_WAITS}", oddity, confidence="low")
