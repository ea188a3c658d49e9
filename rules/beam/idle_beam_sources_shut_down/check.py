"""`shutdown_sources_after_idle_ms` in a pipeline that checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("beam", ("pipeline",)):
        idle, after = beam.number(job, block, "shutdown_sources_after_idle_ms")
        interval, every = beam.number(job, block, "checkpointing_interval")
        if idle is None or interval is None or after is None or every is None or after < 0 or every <= 0:
            continue
        message = f"a source without input for {after} ms shuts down, and once one has, older releases of Flink take no more checkpoints"
        yield context.finding(message, idle, [(interval, "checkpoints are on")])
