"""`message.timeout.ms` (or `delivery.timeout.ms`) above `transaction.timeout.ms` in librdkafka."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Left at its default, the message timeout is lowered in silence; only one that is set is refused."""
    for block in job.select("kafka", ("producer",)):
        transactional = kafka.find(job, block, "transactional.id")
        if kafka.library(block) != "confluent-kafka" or transactional is None:
            continue
        longest = kafka.amount(job, block, "transaction.timeout.ms", 60_000)
        for key in ("message.timeout.ms", "delivery.timeout.ms"):
            message = kafka.amount(job, block, key)
            if message.setting and message.value is not None and longest.value is not None and message.value > longest.value:
                text = (
                    f"the producer refuses to start: {key} ({kafka.say(message.value)}) must not be above "
                    f"transaction.timeout.ms ({kafka.say(longest.value)}{longest.origin})"
                )
                yield context.finding(text, message.setting, [(longest.setting, "the transaction")] if longest.setting else [])
