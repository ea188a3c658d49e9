"""`enable.idempotence=false` on a producer that keeps its retries."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka

# What a comment says of why: then it is meant.
_MEANT = pattern(
    r"(?i)idempot|reject|refus|support|grant|permission|\bacls?\b|event ?hubs?|throughput|latency|\bbecause\b|\bneeds?\b|\bon purpose\b"
)


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
        yield context.finding(
            f"a retry after a lost acknowledgement writes records twice{order}: idempotence is switched off",
            setting,
            confidence="low" if _MEANT.search(setting.comment) else "",
        )
