"""`delivery.timeout.ms` against `linger.ms` + `request.timeout.ms`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Java and kafka-python (tried: 2.2.15, 3.0.12) want at least the sum, librdkafka (2.1, 2.16) more than `linger.ms` alone.

    The sum is 5 ms more by default in Java's from 4.0 on: 4.0.0 and 4.1.1 refuse 30000, which 3.9.1 takes.
    """
    for block in kafka.clients(job, "producer"):
        delivery = kafka.amount(job, block, "delivery.timeout.ms")
        client = kafka.library(block)
        version = job.version("kafka-clients", block) if client == "java" else None
        linger = kafka.amount(job, block, "linger.ms", 5 if version is not None and version.at_least("4.0") else 0)
        request = kafka.amount(job, block, kafka.REQUEST_TIMEOUT, kafka.REQUEST_TIMEOUT_DEFAULT)
        if delivery.setting is None or delivery.value is None or linger.value is None or request.value is None:
            continue
        needed = linger.value if client == "confluent-kafka" else linger.value + request.value
        if client == "aiokafka" or delivery.value > needed or (delivery.value == needed and client != "confluent-kafka"):
            continue
        clients = [version.source] if version is not None and linger.setting is None and linger.value else []
        related = [(side.setting, "counts towards one attempt") for side in (request, linger) if side.setting]
        sides = f"linger.ms ({kafka.say(linger.value)}{linger.origin})"
        if client != "confluent-kafka":
            sides += f" and request.timeout.ms ({kafka.say(request.value)}{request.origin})"
        message = f"the producer refuses to start: delivery.timeout.ms ({kafka.say(delivery.value)}) leaves no time for {sides}"
        yield context.finding(message, delivery.setting, [*related, *clients])
