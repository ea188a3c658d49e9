"""`on_delete` of Dataflow's jobs in Terraform."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "dataflow-cancelled":
            told = oddity.detail == "told"
            does = "on_delete = cancel" if told else "without on_delete a flex template's job is cancelled, which"
            message = (
                f"{does} throws away what this streaming job ({oddity.subject}) has read and not written yet when it is destroyed or replaced: "
                'on_delete = "drain" finishes it'
            )
            yield context.finding(message, oddity, confidence="" if told else "low")
