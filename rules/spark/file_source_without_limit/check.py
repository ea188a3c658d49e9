"""`readStream` of files without `maxFilesPerTrigger` or `maxBytesPerTrigger`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

# Spark's own formats of files; Delta and Auto Loader take a thousand files at most unless told otherwise.
_FILES = ("csv", "json", "parquet", "text", "orc", "avro", "xml")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Once in a file, and not where all that it starts are demos."""
    sinks = context.module.frames.sinks()
    if sinks and all(sink.demo for sink in sinks):
        return
    for block in job.select("spark", ("reader",)):
        parent = job.parent(block)
        if block.open or block.trait("format") not in _FILES or (parent is not None and spark.is_local(job, parent)):
            continue
        if spark.option(job, block, "maxFilesPerTrigger") is None and spark.option(job, block, "maxBytesPerTrigger") is None:
            message = (
                "the first batch, and the first one after a downtime, takes every file that waits: nothing limits it (maxFilesPerTrigger)"
            )
            yield context.finding(message, block)
            return
