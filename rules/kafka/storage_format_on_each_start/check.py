"""`kafka-storage.sh format` in the command of a broker's container."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A container that nobody restarts is usually made anew, with empty directories."""
    for oddity in job.oddities:
        if oddity.kind == "formatted-again":
            message = f"the second start of {oddity.subject} fails: kafka-storage.sh refuses to format directories that are formatted already, and the broker is never reached"
            yield context.finding(message, oddity, confidence="" if oddity.detail not in ("", "no") else "low")
