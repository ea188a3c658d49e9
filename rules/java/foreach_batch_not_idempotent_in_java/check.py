"""An appending write in a function of foreachBatch that does nothing with the batch's id."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind != "batch-appended":
            continue
        form = oddity.subject
        message = f"a batch that is done again after a failure is appended to the {form}{'' if form == 'table' else ' target'} twice: foreachBatch is at-least-once; use its batch id, or write by key (MERGE, upsert)"
        yield context.finding(message, oddity, confidence="medium" if form == "jdbc" else "low")
