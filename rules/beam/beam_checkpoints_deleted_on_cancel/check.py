"""`externalized_checkpoints_enabled` off, or without `retain_externalized_checkpoints_on_cancellation`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("beam", ("pipeline",)):
        enabled = beam.option(job, block, "externalized_checkpoints_enabled")
        retain = beam.option(job, block, "retain_externalized_checkpoints_on_cancellation")
        if enabled is not None and beam.text(enabled) == "false" and retain is None:
            message = "checkpoints are not externalized: the last one is deleted with the job, however it ends"
            yield context.finding(message, enabled, severity="info", confidence="medium")
        if enabled is None or beam.text(enabled) != "true" or (retain is None and block.open):
            continue
        if retain is None or beam.text(retain) == "false":
            message = "a cancel deletes the last checkpoint with the job: checkpoints are externalized, but not retained on cancellation"
            yield context.finding(message, retain or enabled, [(enabled, "externalized here")] if retain else [])
