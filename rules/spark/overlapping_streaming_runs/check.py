"""`max_concurrent_runs` above one for a job that streams."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark
from shoal.values.kafka import parse_int


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("application",), ("bundle",)):
        found = job.get(block, "job.max_concurrent_runs")
        count = parse_int(found.text) if found is not None and found.known else None
        if found is None or not isinstance(count, int) or count <= 1:
            continue
        timed = any(setting.key.startswith(("job.continuous.", "job.schedule.", "job.trigger.")) for setting in job.of(block))
        streams = spark.streams(job, block) or (
            "sure" if any(setting.key.startswith("job.continuous.") for setting in job.of(block)) else ""
        )
        if timed and streams:
            message = f"up to {count} runs share one checkpoint: the second fails with a concurrent stream log update, or both write the same batch"
            yield context.finding(message, found, confidence="" if streams == "sure" else "low")
