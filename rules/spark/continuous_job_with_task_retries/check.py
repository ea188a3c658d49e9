"""`continuous` beside `max_retries` of a task."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.values.kafka import parse_int


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("application",), ("bundle",)):
        settings = job.of(block)
        continuous = next((setting for setting in settings if setting.key.startswith("job.continuous.")), None)
        if continuous is None:
            continue
        for setting in settings:
            count = (
                parse_int(setting.text)
                if setting.key.startswith("job.tasks.") and setting.key.endswith(".max_retries") and setting.known
                else 0
            )
            if isinstance(count, int) and count != 0:
                message = "the deployment is refused: a continuous job restarts its runs by itself, its tasks have no retry policy"
                yield context.finding(message, setting, [(continuous, "continuous")])
