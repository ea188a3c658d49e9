"""Streaming queries that keep state with the default provider."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if job.anywhere("spark", _PROVIDER) or "readStream" not in module.raw:
        return
    for call in module.named("withWatermark", "dropDuplicatesWithinWatermark", "applyInPandasWithState"):
        message = f"the state lies on the executors' heap, which suits some millions of keys at most: {_PROVIDER} is not set"
        yield context.finding(message, module.call_place(call))
        return
