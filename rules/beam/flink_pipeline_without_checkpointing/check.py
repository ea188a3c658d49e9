"""A streaming pipeline for Flink without `checkpointing_interval`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import beam, tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The cluster's own configuration may turn it on, so one in sight that does keeps the rule quiet."""
    if tables.checkpoints(job):
        return
    for block in job.select("beam", ("pipeline",)):
        interval, value = beam.number(job, block, "checkpointing_interval")
        if not beam.on_flink(job, block) or not (beam.streams(job, block) or _reads_on(job, block)):
            continue
        if block.open and (block.form != "python" or not job.get(block, "runner")):
            continue
        if interval is None or value == -1:
            message = "a failure starts the pipeline from nothing, and Kafka offsets are never committed: Beam takes no checkpoints on Flink unless --checkpointing_interval says how often"
            parent = job.parent(block)
            unsure = block.open or (parent is not None and parent.open) or _only_writes(job, block)
            yield context.finding(message, interval or block, confidence="low" if unsure else "")


def _reads_on(job: Job, block: Block) -> bool:
    """Whether the code beside the options reads Kafka without end: Flink streams then, whatever the flags leave out."""
    return (
        any(
            other.name == "ReadFromKafka"
            and other.place.path == block.place.path
            and not other.open
            and job.get(other, "max_num_records") is None
            and job.get(other, "max_read_time") is None
            for other in job.select("beam", ("transform",))
        )
        and beam.option(job, block, "streaming") is None
    )


def _only_writes(job: Job, block: Block) -> bool:
    """Whether the code beside the options writes to Kafka and reads nothing from it: it may well be finite, whatever its flags say."""
    names = {other.name for other in job.select("beam", ("transform",)) if other.place.path == block.place.path}
    return bool(names) and "ReadFromKafka" not in names
