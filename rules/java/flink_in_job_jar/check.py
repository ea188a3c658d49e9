"""Flink itself among what a build bundles, for a job that runs on a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Oddity
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A program that is started by `java -jar` needs all of it: only a cluster in sight tells. One finding for a build file."""
    cluster = next((block for block in job.select("flink", ("cluster", "deployment", "command")) if _has_flink(block)), None)
    if cluster is None:
        return
    bundled: dict[str, list[Oddity]] = {}
    for oddity in job.oddities:
        if oddity.kind == "engine-bundled":
            bundled.setdefault(oddity.place.path, []).append(oddity)
    for first, *others in bundled.values():
        name = first.subject.rpartition(":")[2]
        message = (
            f"{name} goes into the job's jar, though the cluster has it in lib: two copies, which fail as soon as their versions differ"
        )
        yield context.finding(message, first, [(cluster, "the cluster"), *((other, "this, too") for other in others[:6])])


def _has_flink(block: Block) -> bool:
    """Whether it is a process of a cluster, a resource of the operator, or a command that submits to one."""
    if block.role == "command":
        return block.trait("program") in ("flink run", "flink run-application")
    return block.role == "deployment" or (block.form in ("compose", "manifest") and block.trait("role") in ("jobmanager", "taskmanager"))
