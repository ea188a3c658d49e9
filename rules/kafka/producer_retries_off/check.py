"""`retries` of 0 for a producer, which librdkafka also calls `message.send.max.retries`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Contradictions with idempotence are another rule's business."""
    for block in job.select("kafka", ("producer",)):
        retries = kafka.retries(job, block)
        if retries.setting is None or retries.value != 0:
            continue
        if kafka.flag(job, block, "enable.idempotence")[1] or kafka.find(job, block, "transactional.id"):
            continue
        message = f"every leader election or dropped connection loses the records in flight: {retries.setting.key} is 0, and idempotence is off with it"
        yield context.finding(message, retries.setting)
