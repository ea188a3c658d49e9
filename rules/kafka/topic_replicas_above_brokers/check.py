"""`spec.replicas` of a KafkaTopic against the brokers of the Kafka resource that it is for, and what commands ask for against those of a compose
file: the broker answers InvalidReplicationFactorException."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.kafka import amount, compose_brokers, topics
from shoal.templates.strimzi import brokers_of, clusters_of

Cluster = tuple[list[Block], int]  # of a compose file: its brokers, and how many there are


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
    yield from _made(job, context)


def _made(job: Job, context: Context) -> Iterator[Finding]:
    """Topics that commands make at the brokers of a compose file; of several that they may mean, the one with the most."""
    paths = dict.fromkeys(block.place.path for block in job.select("kafka", ("broker",), ("compose",)))
    clusters = {path: compose_brokers(job.in_file(path)) for path in paths}
    for topic in topics(job):
        setting, replicas = topic.replicas
        if topic.block.form != "command" or setting is None or replicas is None:
            continue
        meant, confidence = _meant(topic.block, clusters)
        brokers, count = max(meant, key=lambda cluster: cluster[1], default=([], 0))
        if brokers and replicas > count and all(found for found, _ in meant):
            there = "one broker" if count == 1 else f"{count} brokers"
            message = f"the topic is never made: {replicas} replicas are asked for, and its cluster has {there}"
            yield context.finding(message, setting, [(brokers[0], "the cluster")], confidence=confidence)


def _meant(topic: Block, clusters: dict[str, Cluster]) -> tuple[list[Cluster], str]:
    """The clusters that a command may ask. A script beside a compose file that asks `localhost` may be run against others, too."""
    if topic.place.path in clusters:
        return [clusters[topic.place.path]], ""
    asked = {server.rpartition(":")[0] for server in topic.trait("servers").split(",")}
    named = [cluster for cluster in clusters.values() if any(asked & set(broker.trait("hosts").split()) for broker in cluster[0])]
    return (named, "") if named else (list(clusters.values()) if asked == {"localhost"} else [], "low")
