"""kafka-python wants connections_max_idle_ms > request_timeout_ms > fetch_max_wait_ms; its defaults are those of 3.0."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("consumer",)):
        if kafka.library(block) != "kafka-python":
            continue
        idle = kafka.amount(job, block, "connections.max.idle.ms", 540_000)
        request = kafka.amount(job, block, "request.timeout.ms", 305_000)
        wait = kafka.amount(job, block, "fetch.max.wait.ms", 500)
        for more, less, names in (
            (idle, request, ("connections_max_idle_ms", "request_timeout_ms")),
            (request, wait, ("request_timeout_ms", "fetch_max_wait_ms")),
        ):
            at = less.setting or more.setting
            # the default of the request timeout moved from 305 s to 30 s with 3.0: only what is refused with both
            if (
                at is None
                or more.value is None
                or less.value is None
                or (less is request and less.setting is None)
                or more.value > less.value
            ):
                continue
            message = f"the consumer refuses to start: {names[0]} ({more.value}{more.origin}) must be above {names[1]} ({less.value}{less.origin})"
            yield context.finding(message, at, [(more.setting, "must be above")] if more.setting and more.setting != at else [])
