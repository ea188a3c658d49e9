"""Partition discovery switched off, in a table or in the properties of a Flink source."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, tables
from shoal.values import Duration
from shoal.values.flink import parse_duration


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, hints=True):
        found = job.get(table, kafka.TABLE_DISCOVERY)
        length = parse_duration(found.text) if found is not None and found.known else None
        if found is not None and isinstance(length, Duration) and length.nanos <= 0 and table.trait("bounded") != "true":
            yield _finding(context, found, tables.option(job, table, "topic-pattern"))
    for block in job.select("kafka", ("consumer", "client")):
        for key in kafka.DISCOVERY:
            interval = kafka.amount(job, block, key)
            if interval.setting and interval.value is not None and interval.value <= 0:
                parent = job.parent(block)
                yield _finding(context, interval.setting, job.get(parent, "topic-pattern") if parent else None)


def _finding(context: Context, setting: Setting, pattern: Setting | None) -> Finding:
    what = "topics that match the pattern later, and partitions added to a topic," if pattern else "partitions added to the topic"
    message = f"{what} are never read until the job is started again: discovery is off"
    return context.finding(message, setting, [(pattern, "new topics would match this")] if pattern else [])
