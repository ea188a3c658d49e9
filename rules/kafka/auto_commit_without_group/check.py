"""Offset commits that are asked for without a `group.id`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """In a properties file the group may be added by the program that reads it: low confidence there."""
    for block in kafka.clients(job, "consumer"):
        if block.open or block.trait("host") == "spark" or not kafka.is_java(block) or kafka.find(job, block, "group.id"):
            continue
        inside = kafka.in_flink(job, block)
        for key in ("enable.auto.commit", "commit.offsets.on.checkpoint") if inside else ("enable.auto.commit",):
            setting, on = kafka.flag(job, block, key)
            if setting is not None and on:
                who = "the Kafka source" if inside else "the consumer"
                message = f"{who} does not start: {key} is true, and without a group.id there is no group to commit offsets for"
                yield context.finding(message, setting, confidence="" if inside and block.form == "sql" else "low")
                break
