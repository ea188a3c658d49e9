"""`environment_type=LOOPBACK` where a pipeline is deployed."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import beam

_HERE = pattern(r"\[(?:local|auto|collection)\]|(?:https?://)?(?:localhost|127\.0\.0\.1)(?::\d+)?")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """On a developer's own line, against a local cluster, it is what loopback is for."""
    for block in job.select("beam", ("pipeline",)):
        kind = beam.option(job, block, "environment_type") or job.get(block, "defaultEnvironmentType")
        if kind is None or beam.text(kind) != "loopback":
            continue
        master = beam.option(job, block, "flink_master") or beam.option(job, block, "job_endpoint")
        parent = job.parent(block)
        deployed = parent is not None and parent.form in ("manifest", "compose")
        remote = master is not None and master.known and not _HERE.fullmatch(master.text.strip().lower())
        if deployed or remote:
            message = "the pipeline dies with the process that submitted it: LOOPBACK runs all user code in that one process, whatever the cluster"
            yield context.finding(message, kind, [(master, "a cluster")] if remote and master else [])
