"""What rules over Strimzi's resources ask: which resource is for which cluster, and whether all of one can be seen."""

from __future__ import annotations

from shoal.facts import Block
from shoal.job import Job


def clusters_of(job: Job, block: Block) -> list[Block]:
    """The `Kafka` resources that a topic, a user or a pool of nodes is for, by its label."""
    name = block.trait("cluster")
    return [cluster for cluster in job.select("kafka", ("broker",), ("manifest",)) if name and cluster.name == name]


def is_whole_cluster(job: Job, block: Block) -> bool:
    """Whether all of a `Kafka` resource can be seen; one with no listeners is a patch of another."""
    return not block.open and block.trait("operator") == "strimzi" and has(job, block, "spec.kafka.listeners.")


def has(job: Job, block: Block, start: str) -> bool:
    """Whether a setting of a block has a key that begins so."""
    return any(setting.key.startswith(start) for setting in job.of(block))
