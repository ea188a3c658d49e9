"""`spark.sql.streaming.multipleWatermarkPolicy`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark"):
        found = job.get(block, "spark.sql.streaming.multipleWatermarkPolicy")
        policy = spark.text(found)
        if found is None or not policy or policy == "min":
            continue
        if policy == "max":
            yield context.finding("rows of every slower stream are dropped as late: the watermark follows the fastest one", found)
        else:
            yield context.finding(f"queries fail to start: the policy is min or max, not `{found.text.strip()}`", found, severity="error")
