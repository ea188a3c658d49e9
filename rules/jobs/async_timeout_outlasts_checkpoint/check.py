"""The timeout of an async operator in the code against the checkpoint timeout in the configuration."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.classify import classify
from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.values import NANOS_PER_MILLI, Duration


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A checkpoint timeout in the same Python file, and the default, are judged there: async-operator-timeout."""
    limit = job.effective_anywhere("flink", questions.TIMEOUT)
    length = questions.duration(limit)
    if limit is None or length is None:
        return
    for usage in job.usages("async-timeout"):
        if usage.place.path == limit.path and classify(limit.path) != "java":
            continue
        wait = Duration(int(usage.detail) * NANOS_PER_MILLI)
        if wait.nanos * 2 < length.nanos:
            continue
        message = (
            f"a request may take {wait}, and a checkpoint {length} by {limit.path}: a barrier waits behind the requests that are under way, so one slow "
            "batch of them makes checkpoints fail"
        )
        yield context.finding(message, usage.place._replace(label=usage.detail), [(limit, "the checkpoint timeout")])
