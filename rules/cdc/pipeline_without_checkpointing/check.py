"""Pipelines take what they know of checkpoints from the cluster's configuration, or from `-D` after flink-cdc.sh."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import questions
from shoal.jobs.boundaries import folder_of, in_line
from shoal.model import Finding
from shoal.templates import cdc, tables
from shoal.templates.common import text

# What each sink publishes with checkpoints, and not before.
_WAITS = {
    "paimon": "no snapshot is ever committed",
    "iceberg": "no snapshot is ever committed",
    "hudi": "no commit is ever made",
    "maxcompute": "no partition is ever committed",
    "fluss": "how far the source has read is kept nowhere",
}
_ELSE = "how far the source has read is kept nowhere, and a failure ends the job or starts it from the beginning"


def check(job: Job, context: Context) -> Iterator[Finding]:
    pipelines = job.select("flink-cdc", ("pipeline",))
    confs = [block for block in job.select("flink", ("cluster", "deployment")) if block.form != "sql"]
    if not pipelines or not confs or any(block.open for block in confs) or tables.checkpoints(job) or questions.managed(job):
        return
    # of several clusters another one may be meant
    near = {folder_of(block.place.path) for block in confs}
    for pipeline in pipelines:
        sink, mode = cdc.side(job, pipeline, "sink"), job.written(pipeline, "execution.runtime-mode")
        if sink is None or sink.trait("connector") == "values" or text(mode) == "batch" or (mode is not None and not mode.known):
            continue
        here = [block for block in confs if in_line(folder_of(block.place.path), folder_of(pipeline.place.path))]
        if _ends(job, pipeline) or not here:
            continue
        why = _WAITS.get(sink.trait("connector"), _ELSE)
        message = f"{why}: no execution.checkpointing.interval is set where the pipeline is submitted to"
        related = [(block, "no execution.checkpointing.interval here") for block in here[:3]]
        yield context.finding(message, pipeline, related, confidence="" if len(near) == 1 else "low")


def _ends(job: Job, pipeline: Block) -> bool:
    """Whether the source reads a snapshot and no more."""
    source = cdc.side(job, pipeline, "source")
    return source is not None and text(job.written(source, "scan.startup.mode")) == "snapshot"
