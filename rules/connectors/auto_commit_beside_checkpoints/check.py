"""`enable.auto.commit=true` on a Flink source, or one of Bytewax, which switches it off for its own recovery."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Without a group the source does not even start: that is another rule's business."""
    for block in kafka.clients(job, "consumer"):
        setting, on = kafka.flag(job, block, "enable.auto.commit")
        if setting is not None and on and (block.trait("class") or "").startswith("bytewax."):
            message = "offsets are committed as soon as records are fetched, ahead of the dataflow and of its snapshots: whoever starts from the group's offsets skips records that were read and not processed"
            yield context.finding(message, setting, confidence="low")
            continue
        if setting is None or not on or not kafka.in_flink(job, block) or not (block.open or kafka.find(job, block, "group.id")):
            continue
        message = "offsets are committed every few seconds, ahead of the checkpoints: whoever starts from the group's offsets skips records that were read and not processed"
        # a job without checkpoints has no other way to commit, and its cluster may still have them
        yield context.finding(message, setting, confidence="" if questions.interval(job) is not None else "low")
