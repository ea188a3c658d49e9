"""`spec.replicas` of a KafkaTopic against the brokers of the Kafka resource that it is for: the broker answers InvalidReplicationFactorException."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.kafka import amount
from shoal.templates.strimzi import brokers_of, clusters_of


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Several resources of a name are variants of one, of which the largest may be the one; of one whose brokers cannot be counted nothing is known."""
    for topic in job.select("kubernetes", ("kafkatopic",)):
        replicas, clusters = amount(job, topic, "spec.replicas"), clusters_of(job, topic)
        counts = [brokers_of(job, cluster) for cluster in clusters]
        known = [count for count in counts if count is not None]
        if replicas.setting is None or replicas.value is None or not known or len(known) != len(counts) or topic.open:
            continue
        if replicas.value > max(known):
            there = "one broker" if max(known) == 1 else f"{max(known)} brokers"
            message = f"the topic is never made: {replicas.value} replicas are asked for, and its cluster has {there}"
            yield context.finding(message, replicas.setting, [(clusters[0], "the cluster")])
