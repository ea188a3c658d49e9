"""INSERT statements that nothing waits for, in a project without a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """On a cluster the job goes on without the script, so any sign of one is enough to be silent."""
    if job.kind != "job" or job.outside or questions.config_blocks(job) or job.select("flink", ("command",)):
        return
    if any(dependency.ecosystem == "image" for dependency in job.dependencies):
        return
    if job.anywhere("flink", "table.dml-sync") or any(job.anywhere("flink", key) for key in ("execution.target", "rest.address")):
        return
    for usage in job.usages("insert-not-awaited"):
        message = (
            f"{usage.detail} only submits the statement, and nothing waits for it: started with `python`, the job runs in a cluster inside this "
            "program and ends with it; call wait() on the result (`flink run` does not need it)"
        )
        yield context.finding(message, usage.place)
