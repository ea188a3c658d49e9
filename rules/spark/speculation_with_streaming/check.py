"""`spark.speculation=true` beside signs of a streaming query."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_MESSAGE = "slow tasks run twice: what foreach or foreachBatch sends to another system from inside a task may be sent twice"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("defaults", "application", "submit", "job")):
        found = job.get(block, "spark.speculation")
        sign = spark.streaming_sign(job, block)
        if found is not None and spark.text(found) == "true" and (sign or spark.reads_kafka(job, block)):
            yield context.finding(_MESSAGE, found, [(sign, "streaming")] if sign else [])
            return
    found = job.effective_anywhere("spark", "spark.speculation")
    writer = next((block for block in job.select("spark", ("writer",)) if block.trait("foreach") or block.trait("foreachBatch")), None)
    if found is not None and spark.text(found) == "true" and writer is not None:
        yield context.finding(
            _MESSAGE, found, [(writer, "writes from inside its tasks")], confidence="medium" if writer.trait("foreach") else ""
        )
