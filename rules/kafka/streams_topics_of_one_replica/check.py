"""`replication.factor=1` for the changelog and repartition topics of an application that names several brokers."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.streams(job):
        replicas, servers = job.written(block, "replication.factor"), job.written(block, kafka.SERVERS)
        if replicas is None or servers is None or not replicas.known or not servers.known or replicas.text.strip() != "1":
            continue
        brokers = servers.text.count(",") + 1
        if brokers > 1:
            message = f"the changelog and repartition topics have one replica on {brokers} brokers: when that broker is away the application stops, and when its disk is lost the state cannot be restored"
            yield context.finding(message, replicas, [(servers, f"{brokers} brokers")])
