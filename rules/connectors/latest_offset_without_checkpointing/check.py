"""`scan.startup.mode = latest-offset` with checkpointing off: every restart skips what arrived in between."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding, Place
from shoal.templates import tables

_KINESIS = ("scan.stream.initpos", "source.init.position")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Without a configuration of the cluster in sight, checkpointing may be on there: low confidence."""
    if tables.checkpoints(job) or tables.is_batch(job):
        return
    conf = tables.conf(job)
    written = any(block.role == "sink" or block.trait("sink") == "true" for block in job.select("flink", ("table", "sink")))
    written = written or any(statement.kind == "insert" for statement in job.statements())
    for table in job.select("flink", ("table", "source")):
        mode = tables.option(job, table, tables.STARTUP, "starting-offsets", "connector.startup-mode", *_KINESIS)
        if mode is None or tables.text(mode) not in ("latest-offset", "latest") or table.trait("hint") == "true":
            continue
        if table.trait("sink") == "true" and table.trait("source") != "true":
            continue  # read by nobody
        message = "every start and every restart skips the records that came while the job was down: it reads from the end, and without checkpoints it has no position to go back to"
        looked: list[tuple[Block | Place, str]] = [(conf, "no execution.checkpointing.interval here")] if conf else []
        looked += [
            (block.place, "nothing enables checkpoints here")
            for block in questions.code_blocks(job)
            if block.role == "job" and block.place.path == mode.place().path
        ][:1]
        looked += [(place, label) for place, label in questions.submitted(job) if place.path == mode.place().path]
        shown = not written and mode.place().path.endswith(".py")  # what a program only prints was looked at, or was not
        yield context.finding(message, mode, looked, confidence="" if conf and not shown else "low")
