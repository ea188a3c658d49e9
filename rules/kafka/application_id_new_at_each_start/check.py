"""`application.id` with a random part or the time of the start. Tests are meant to begin anew."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, made_up, spring


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.streams(job):
        application = job.written(block, "application.id")
        if application is None or spring.of_tests(application.path) or not made_up.anew(context, application):
            continue
        message = (
            "the application is another one at every start: its place in the sources, its state and the topics that keep it are never found again; "
            "everything is read and counted anew, or skipped, as auto.offset.reset says, and the old topics stay with the brokers"
        )
        yield context.finding(message, application)
