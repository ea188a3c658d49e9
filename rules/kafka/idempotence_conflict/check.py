"""`enable.idempotence` or `transactional.id` beside `acks`, `retries` and in-flight requests that forbid it.

Tried with kafka-python 2.2.15 and 3.0.12, confluent-kafka 2.1.1 and 2.16.1, aiokafka 0.12 and 0.14; the last switches idempotence on for a `transactional_id`.
SmallRye's connector puts `acks` among the producer's options in any case, 1 by default (tried with 4.34.0 and kafka-clients 4.2.0), and so does
Spring Cloud Stream's binder; for channels of transactions Quarkus has `acks=all` and the rest as defaults of its own (SmallRyeReactiveMessagingKafkaProcessor of 3.15.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka

_IN_FLIGHT = ("max.in.flight.requests.per.connection", "max.in.flight")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.clients(job, "producer"):
        idempotence, on = kafka.flag(job, block, "enable.idempotence")
        transactional = kafka.find(job, block, "transactional.id")
        insists = kafka.library(block) != "aiokafka"
        if insists and transactional is not None and on is False and idempotence is not None and not _apart(transactional, idempotence):
            message = "the producer refuses to start: transactional.id needs idempotence, enable.idempotence is false"
            yield context.finding(message, idempotence, [(transactional, "needs idempotence")])
        wants = idempotence if on else transactional
        if on and idempotence is not None and transactional is None and (framework := kafka.weakened_by(job, block)):
            message = f"the producer refuses to start: enable.idempotence=true needs acks=all, and {framework} sets acks=1 where nobody says otherwise"
            yield context.finding(message, idempotence, confidence="medium")
        for setting, what in _conflicts(job, block):
            if wants is not None and _apart(wants, setting):
                continue
            if wants is not None and on is not False:
                reason = "enable.idempotence=true" if wants is idempotence else "transactional.id"
                message = f"the producer refuses to start: {reason} needs {what}, here {setting.key} is {setting.text.strip()}"
                yield context.finding(message, setting, [(wants, "asks for idempotence")])
            elif on is None and idempotence is None and setting.key in _IN_FLIGHT and kafka.is_java(block):
                message = (
                    f"{setting.key} of {setting.text.strip()} turns idempotence off in silence (clients of 3.x) or keeps the producer from "
                    "starting (4.0 and later): retries may then write records twice and out of order"
                )
                yield context.finding(message, setting, severity="warning", confidence="medium")


def _apart(asks: Setting, other: Setting) -> bool:
    """Whether a caller gives both, and for the one there is but a default: who gives a `transactional.id` may give what it needs, too."""
    return not asks.known and other.sure == "default"


def _conflicts(job: Job, block: Block) -> Iterator[tuple[Setting, str]]:
    acks = kafka.acks(job, block)
    if acks is not None and acks.known and acks.text.strip() in ("0", "1"):
        yield acks, "acks=all"
    retries = kafka.retries(job, block)
    if retries.setting and retries.value == 0:
        yield retries.setting, "retries"
    for key in _IN_FLIGHT:
        flying = kafka.amount(job, block, key)
        if flying.setting and flying.value is not None and flying.value > 5:
            yield flying.setting, "at most 5 requests in flight"
