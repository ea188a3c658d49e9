"""`groupBy` between `readStream` and `writeStream`, all in one file, and no `withWatermark` on the way."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "aggregation-appended":
            message = "an aggregation without a watermark above it cannot be written in append mode, which is the default: the query is refused when it starts"
            yield context.finding(message, oddity, severity="error", confidence="high")
        elif oddity.kind == "aggregation-unbounded" and oddity.subject == "windows":
            message = "no withWatermark above this windowed aggregation: the state of every window there ever was is kept, until the executors run out of memory"
            yield context.finding(message, oddity, confidence="low" if oddity.detail in spark.SHOWN else "high")
        elif oddity.kind == "aggregation-unbounded":
            message = "no withWatermark above this aggregation: the state of every key there ever was is kept, which is fine only for a fixed set of keys"
            yield context.finding(message, oddity, severity="info", confidence="low")
