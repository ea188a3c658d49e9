"""`enable.idempotence=false` on a producer that keeps its retries."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.clients(job, "producer"):
        setting, on = kafka.flag(job, block, "enable.idempotence")
        if (
            setting is None
            or on is not False
            or kafka.find(job, block, "transactional.id")
            or kafka.amount(job, block, "retries").value == 0
        ):
            continue
        flying = kafka.amount(job, block, "max.in.flight.requests.per.connection", 5)
        order = "" if flying.value == 1 else " and out of order"
        yield context.finding(f"a retry after a lost acknowledgement writes records twice{order}: idempotence is switched off", setting)
