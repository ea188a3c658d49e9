"""`withWatermark` on a streaming frame that has a watermark. Tried on Spark 3.5.9 and 4.1.4: the query ends in its second batch, as long as
`spark.sql.streaming.statefulOperator.allowMultiple` is left at true (since 3.4)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_ALLOWS = "spark.sql.streaming.statefulOperator.allowMultiple"


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("spark")
    if (version is not None and version.below("3.4")) or job.anywhere("spark", _ALLOWS):
        return
    for oddity in job.oddities:
        if oddity.kind == "watermark-again":
            since = "" if version is not None else " (Spark 3.4 and later)"
            message = f"the query ends in its second batch{since}: redefining a watermark is disallowed, and this frame has one already; set it once, before what keeps state"
            yield context.finding(message, oddity, oddity.related, confidence="" if version is not None else "medium")
