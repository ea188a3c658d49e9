"""A task without retries, of a DAG without a schedule, that submits a program which never ends by itself and waits for it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        found = spark.endless_program(job, oddity.subject) if oddity.kind == "task-tried-once" else None
        if found is None or not found[1]:
            continue
        name = oddity.subject.rpartition("/")[2]
        message = f"the first failure of {name} ends the stream until somebody starts the DAG again: the task is not retried, and the DAG has no schedule"
        yield context.finding(message, oddity, [*oddity.related, (found[0], "waits for ever")])
