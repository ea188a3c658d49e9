"""Bundles that must be finished before a checkpoint, within a short timeout."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("beam", ("pipeline",)):
        finishes = beam.option(job, block, "finish_bundle_before_checkpointing")
        timeout, length = beam.number(job, block, "checkpoint_timeout_millis")
        if finishes is None or beam.text(finishes) not in ("true", "") or timeout is None or length is None:
            continue
        if 30_000 <= length < 120_000:
            message = f"the bundle at hand must be finished within these {length // 1000} s, too: where it waits for a service that is slow, every checkpoint fails"
            yield context.finding(message, timeout, [(finishes, "bundles are finished first")])
