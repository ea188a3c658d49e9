"""What rules over Strimzi's resources ask: which resource is for which cluster, and whether all of one can be seen."""

from __future__ import annotations

from shoal.facts import Block
from shoal.job import Job

# What a resource has that is no patch.
_OF_OLD = ("spec.kafka.replicas", "spec.kafka.storage.", "spec.zookeeper.replicas")


def clusters_of(job: Job, block: Block) -> list[Block]:
    """The `Kafka` resources that a topic, a user or a pool of nodes is for, by its label."""
    name = block.trait("cluster")
    return [cluster for cluster in job.select("kafka", ("broker",), ("manifest",)) if name and cluster.name == name]


def workers_of(job: Job, connector: Block) -> list[Block]:
    """The `KafkaConnect` resources that a connector is for, by its label; none where not all of one can be seen."""
    name = connector.trait("cluster")
    workers = [block for block in job.select("kafka-connect", ("worker",), ("manifest",)) if name and block.name == name]
    whole = any(job.written(block, "spec.bootstrapServers") is not None for block in workers)  # which a patch lacks
    return workers if whole and not any(block.open for block in workers) else []


def is_whole_cluster(job: Job, block: Block) -> bool:
    """Whether all of a `Kafka` resource can be seen; one with no listeners is a patch of another."""
    return not block.open and block.trait("operator") == "strimzi" and has(job, block, "spec.kafka.listeners.")


def is_whole_of_old(job: Job, block: Block) -> bool:
    """Whether all of a `Kafka` resource can be seen whose listeners say nothing, as they could of old (`plain: {}`)."""
    return not block.open and block.trait("operator") == "strimzi" and all(has(job, block, start) for start in _OF_OLD)


def has(job: Job, block: Block, start: str) -> bool:
    """Whether a setting of a block has a key that begins so."""
    return any(setting.key.startswith(start) for setting in job.of(block))
