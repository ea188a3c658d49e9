"""Key groups that are too few, or more than Flink has."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup, overridden

_PARALLELISM = ("spec.job.parallelism", "spec.parallelism", "parallelism.default")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment", "sessionjob", "session", "command", "job")):
        found = job.get(block, "pipeline.max-parallelism")
        most = flink.whole(found)
        if found is None or most is None or most == -1 or overridden(job, "pipeline.max-parallelism", found):
            continue
        if not 1 <= most <= 32768:
            yield context.finding(f"the job fails at its start: the maximum parallelism is 1 to 32768, {most} is outside", found)
            continue
        for key in _PARALLELISM:
            wanted = lookup(job, block, key)
            if wanted is not None:
                number = flink.whole(wanted)
                if number is not None and number > most:
                    message = f"the job fails at its start: it is to run {number} subtasks, and its state has only {most} key groups"
                    yield context.finding(message, found, [(wanted, "the parallelism")])
                break
