"""Bundles that must be finished before a checkpoint, within a short timeout."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import measure, text

_FINISHES = ("finish_bundle_before_checkpointing", "finishBundleBeforeCheckpointing")
_TIMEOUT = ("checkpoint_timeout_millis", "checkpointTimeoutMillis")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("beam", ("pipeline",)):
        finishes = next(filter(None, (job.get(block, key) for key in _FINISHES)), None)
        timeout = next(filter(None, (job.get(block, key) for key in _TIMEOUT)), None)
        if finishes is None or timeout is None or not timeout.known or text(finishes) not in ("true", ""):
            continue
        length = measure("beam", "int", timeout.text)
        if isinstance(length, int) and 30_000 <= length < 120_000:
            message = f"the bundle at hand must be finished within these {length // 1000} s, too: where it waits for a service that is slow, every checkpoint fails"
            yield context.finding(message, timeout, [(finishes, "bundles are finished first")])
