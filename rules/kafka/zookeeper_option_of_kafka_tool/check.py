"""`kafka-topics --zookeeper …`, which went with Kafka 3.0."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for usage in job.usages("zookeeper-option"):
        message = f"{usage.detail} of Kafka 3.0 and later refuses --zookeeper: brokers are given as --bootstrap-server"
        yield context.finding(message, usage.place)
