"""Handlers in operators in Java after which the record goes nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_SURE = {"record-dropped": "medium", "record-maybe-dropped": "low"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind in _SURE:
            message = f"a record that fails here is {oddity.detail} ({oddity.subject}), and counts as processed: the next checkpoint commits its offset; throw it on, or send it to a side output"
            yield context.finding(message, oddity, confidence=_SURE[oddity.kind])
