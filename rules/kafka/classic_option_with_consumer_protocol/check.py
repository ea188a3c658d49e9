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
    """Java clients since 4.0 refuse it (3.9 takes it); the broker decides instead."""
    for block in kafka.clients(job, "consumer"):
        protocol = kafka.find(job, block, "group.protocol")
        if protocol is None or not protocol.known or protocol.text.strip().lower() != "consumer" or not kafka.is_java(block):
            continue
        for key, instead in _CLASSIC.items():
            found = kafka.find(job, block, key)
            if found is not None:
                message = f"the consumer refuses to start: with group.protocol=consumer {key} is not its own to set, that is {instead}"
                yield context.finding(message, found, [(protocol, "the new protocol")])
