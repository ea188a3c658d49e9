"""Offset commits that are asked for without a `group.id`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Python's clients go on without commits. In a properties file the group may be added by the program that reads it: low confidence there."""
    for block in kafka.clients(job, "consumer"):
        if block.open or block.trait("host") == "spark" or kafka.find(job, block, "group.id"):
            continue
        if kafka.library(block) in ("kafka-python", "aiokafka"):
            setting, on = kafka.flag(job, block, "enable.auto.commit")
            if setting is not None and on:
                message = "nothing is committed: without a group_id the client switches auto-commit off, and every start begins where auto_offset_reset says"
                yield context.finding(message, setting, severity="warning", confidence="medium")
        if not kafka.is_java(block):
            continue
        inside = kafka.in_flink(job, block)
        for key in ("enable.auto.commit", "commit.offsets.on.checkpoint") if inside else ("enable.auto.commit",):
            setting, on = kafka.flag(job, block, key)
            if setting is not None and on:
                who = "the Kafka source" if inside else "the consumer"
                message = f"{who} does not start: {key} is true, and without a group.id there is no group to commit offsets for"
                yield context.finding(message, setting, confidence="" if inside and block.form == "sql" else "low")
                break
