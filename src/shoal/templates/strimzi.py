"""What rules over Strimzi's resources ask: which resource is for which cluster, and whether all of one can be seen."""

from __future__ import annotations

from shoal.facts import Block
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.lazy import pattern
from shoal.templates.kafka import amount

# What is filled in elsewhere: `{{ .Values.name }}`, `${NAME}`.
_FILLED_IN = pattern(r"\{\{|\$\{|<%|\{%")
# What a resource has that is no patch.
_OF_OLD = ("spec.kafka.replicas", "spec.kafka.storage.", "spec.zookeeper.replicas")


def is_for(block: Block, cluster: Block) -> bool:
    """Whether a resource is for a cluster, by its label. What charts fill in is the same within one folder of them."""
    name = block.trait("cluster")
    filled = _FILLED_IN.search(name) is not None
    return bool(name) and cluster.name == name and (not filled or folder_of(cluster.place.path) == folder_of(block.place.path))


def may_be_for(block: Block, cluster: Block) -> bool:
    """Whether a resource beside a cluster has a label, or the cluster a name, that a chart fills in."""
    filled = any(_FILLED_IN.search(name) for name in (block.trait("cluster"), cluster.name))
    return filled and folder_of(cluster.place.path) == folder_of(block.place.path)


def clusters_of(job: Job, block: Block) -> list[Block]:
    """The `Kafka` resources that a topic, a user or a pool of nodes is for, by its label."""
    return [cluster for cluster in job.select("kafka", ("broker",), ("manifest",)) if is_for(block, cluster)]


def brokers_of(job: Job, cluster: Block) -> int | None:
    """How many brokers a `Kafka` resource has, by itself or in pools of nodes in its file; None where that cannot be known."""
    if cluster.open:
        return None
    own = amount(job, cluster, "spec.kafka.replicas")
    if own.setting is not None:
        return own.value
    pools = pools_of(job, cluster)
    counts = [None if pool.open else amount(job, pool, "spec.replicas").value for pool in pools]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def pools_of(job: Job, cluster: Block) -> list[Block]:
    """The pools of brokers of a `Kafka` resource, in its file."""
    return [
        pool
        for pool in job.select("kubernetes", ("kafkanodepool",))
        if pool.trait("cluster") == cluster.name and pool.place.path == cluster.place.path and pool.trait("roles") != "controller"
    ]


def workers_of(job: Job, connector: Block) -> list[Block]:
    """The `KafkaConnect` resources that a connector is for, by its label; none where not all of one can be seen."""
    workers = [block for block in job.select("kafka-connect", ("worker",), ("manifest",)) if is_for(connector, block)]
    whole = any(job.written(block, "spec.bootstrapServers") is not None for block in workers)  # which a patch lacks
    return workers if whole and not any(block.open for block in workers) else []


def is_whole_cluster(job: Job, block: Block) -> bool:
    """Whether all of a `Kafka` resource can be seen; one with no listeners is a patch of another."""
    return not block.open and block.trait("operator") == "strimzi" and has(job, block, "spec.kafka.listeners.")


def is_whole_of_old(job: Job, block: Block) -> bool:
    """Whether all of a `Kafka` resource can be seen whose listeners say nothing, as they could of old (`plain: {}`)."""
    return not block.open and block.trait("operator") == "strimzi" and all(has(job, block, start) for start in _OF_OLD)


def is_whole(job: Job, block: Block) -> bool:
    """Whether all of a `Kafka` resource can be seen, of today or of old."""
    return is_whole_cluster(job, block) or is_whole_of_old(job, block)


def has(job: Job, block: Block, start: str) -> bool:
    """Whether a setting of a block has a key that begins so."""
    return any(setting.key.startswith(start) for setting in job.of(block))
