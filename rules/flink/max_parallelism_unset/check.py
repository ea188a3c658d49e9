"""Jobs with checkpoints and without `pipeline.max-parallelism`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    interval = questions.interval(job)
    if interval is None or job.anywhere("flink", "pipeline.max-parallelism") or questions.hidden(job) or questions.batch(job):
        return
    message = "the number of key groups follows from the first parallelism (at least 128) and cannot be changed without dropping the state: pipeline.max-parallelism is not set"
    yield context.finding(message, interval)
