"""Requests that operators in Java wait for on the thread of their task."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "request":
            message = f"`{oddity.detail}` waits for its answer in {oddity.subject}, on the thread that also handles checkpoint barriers: one request after the other, and a slow one holds everything up; use async I/O"
            yield context.finding(message, oddity)
        elif oddity.kind == "async-blocked":
            message = f"`{oddity.detail}` waits for its answer in {oddity.subject} itself, so that there is one request at a time and `capacity` does nothing: use a client that gives a future, or hand the call to an executor"
            yield context.finding(message, oddity, severity="warning", confidence="medium")
