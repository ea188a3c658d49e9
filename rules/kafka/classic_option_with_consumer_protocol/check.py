"""`group.protocol=consumer` beside options that only the classic protocol has."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka

_CLASSIC = {
    "session.timeout.ms": "group.consumer.session.timeout.ms",
    "heartbeat.interval.ms": "group.consumer.heartbeat.interval.ms",
    "partition.assignment.strategy": "group.remote.assignor of the consumer",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Java clients since 4.0 refuse it (3.9 takes it), and confluent-kafka since 2.10 (2.9 takes it); all of these were tried."""
    for block in kafka.clients(job, "consumer"):
        protocol = kafka.find(job, block, "group.protocol")
        if protocol is None or not protocol.known or protocol.text.strip().lower() != "consumer":
            continue
        client = kafka.library(block)
        if client not in ("java", "confluent-kafka"):
            continue
        for key, instead in _CLASSIC.items():
            found = kafka.find(job, block, key)
            if found is not None:
                who = "the consumer refuses to start" if client == "java" else "confluent-kafka 2.10 and later refuse to start"
                message = f"{who}: with group.protocol=consumer {key} is not its own to set, that is {instead}"
                yield context.finding(message, found, [(protocol, "the new protocol")])
