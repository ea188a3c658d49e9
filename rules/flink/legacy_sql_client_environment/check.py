"""Environment files that no client reads any more."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("session",)):
        version = job.version("flink", block)
        if block.trait("legacy-environment") != "true" or (version is not None and version.below("1.15")):
            continue
        planner = job.written(block, "execution.planner")
        planners = f", and there is no `{planner.text}` planner to choose" if planner else ""
        message = f"no SQL client since Flink 1.15 reads this file: its tables and settings do not exist{planners}"
        yield context.finding(message, planner or block)
