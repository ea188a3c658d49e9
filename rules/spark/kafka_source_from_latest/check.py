"""`readStream` of Kafka with `startingOffsets` at `latest`, which is its default as well."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark
from shoal.templates.common import text


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only where it is written: who says nothing has mostly not thought of it, but that is so in half of all programs. Not for what is only printed."""
    if spark.only_shown(job):
        return
    for block in job.select("spark", ("reader",)):
        start = spark.option(job, block, "startingOffsets")
        if start is None or block.trait("format") != "kafka" or (text(start) or "").strip().lower() != "latest":
            continue
        message = (
            "the first start skips all that the topic holds, and so does every start without its checkpoint: this counts where a query begins anew, "
            "and records from before then are never read"
        )
        yield context.finding(message, start)
