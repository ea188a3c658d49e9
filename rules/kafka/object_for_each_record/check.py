"""`flush.size` of Confluent's sinks for object stores and HDFS."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import storage
from shoal.templates.common import verbatim


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block, _ in storage.sinks(job):
        size = job.written(block, "flush.size")
        if size is None or not size.known:
            continue
        text = verbatim(size)
        if not text.isdecimal() or not 0 < int(text) < context.options["few"]:
            continue
        each = "each record" if int(text) == 1 else f"each {text} records of a partition"
        message = f"a file is written for {each}: requests cost more than the data, and whoever reads them opens thousands; collect some thousand records, with rotate.schedule.interval.ms for the rest"
        yield context.finding(message, size, confidence="" if int(text) == 1 else "low")
