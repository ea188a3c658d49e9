"""`max.poll.interval.ms` against `session.timeout.ms`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """librdkafka refuses it, the Java client takes it."""
    for block in kafka.clients(job, "consumer"):
        poll = kafka.amount(job, block, "max.poll.interval.ms", 300_000)
        session = kafka.amount(job, block, "session.timeout.ms", 45_000)
        at = poll.setting or session.setting
        if at is None or poll.value is None or session.value is None or poll.value >= session.value:
            continue
        related = [(session.setting, "the session")] if session.setting and session.setting != at else []
        numbers = f"max.poll.interval.ms ({kafka.say(poll.value)}{poll.origin}) is below session.timeout.ms ({kafka.say(session.value)}{session.origin})"
        if kafka.library(block) == "confluent-kafka":
            yield context.finding(f"the consumer refuses to start: {numbers}", at, related, severity="error")
        else:
            message = f"a batch that takes longer than {kafka.say(poll.value)} throws the consumer out of its group, although it is alive: {numbers}"
            yield context.finding(message, at, related)
