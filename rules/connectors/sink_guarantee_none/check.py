"""A delivery guarantee of `none`, which is what a KafkaSink has that is given no other."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    for _, setting, value in tables.sinks(job):
        if value == "none":
            message = "records that the producer still holds are lost with every failure and restart: the sink does not flush when a checkpoint is taken"
            yield context.finding(message, setting)
    for block in job.select("flink", ("sink",)):
        if block.trait("guarantee") == "default" and tables.option(job, block, *tables.GUARANTEE) is None:
            message = (
                "records that the producer still holds are lost with every failure: a KafkaSink that is given no delivery guarantee has NONE "
                "(a SQL table has at-least-once)"
            )
            # at the end of its input such a sink flushes all the same
            finite = not tables.sources(job) and bool(job.usages("bounded-input"))
            yield context.finding(message, block, confidence="low" if finite else "medium")
