"""Operators of Airflow that start a streaming pipeline, in a DAG with a schedule."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "stream-on-schedule":
            message = f"each run of the DAG starts the pipeline once more, and none of them ends: jobs pile up on the same input, or are refused where the name is taken ({oddity.detail}; schedule=None, or drain the old job first)"
            yield context.finding(message, oddity, oddity.related, confidence="" if oddity.subject == "sure" else "low")
