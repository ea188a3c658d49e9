"""Handlers in operators in Java after which the record goes nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_SURE = {"record-dropped": "medium", "record-maybe-dropped": "low", "element-dropped": "medium", "element-maybe-dropped": "low"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind in _SURE:
            what = oddity.kind.partition("-")[0]
            then = "the next checkpoint commits its offset" if what == "record" else "the source is told that it is done"
            other = "a side output" if what == "record" else "an output of its own"
            message = f"{'an' if what == 'element' else 'a'} {what} that fails here is {oddity.detail} ({oddity.subject}), and counts as processed: {then}; throw it on, or send it to {other}"
            yield context.finding(message, oddity, confidence=_SURE[oddity.kind])
