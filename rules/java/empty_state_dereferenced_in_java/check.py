"""Values of keyed state that are used before anything wrote them."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "state-taken-for-granted":
            when = "for each key of which the other input gave nothing yet" if oddity.detail else "for the first record of each key"
            message = f"state is null until something writes it, and {oddity.subject} uses it without a look: {when} the job fails with a NullPointerException, and again after each restart; ask for null, or keep the record until there is a value"
            yield context.finding(message, oddity)
