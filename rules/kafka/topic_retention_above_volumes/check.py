"""`retention.bytes` of a KafkaTopic, with its partitions and replicas, against the volumes of the Kafka resource that it is for."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import text
from shoal.templates.kafka import amount
from shoal.templates.strimzi import clusters_of, pools_of
from shoal.values.containers import kubernetes_memory

_SIZE = pattern(r"spec\.(?:kafka\.)?storage\.(?:volumes\.\w+\.)?size")
_GIB = 1024**3


def check(job: Job, context: Context) -> Iterator[Finding]:
    for topic in job.select("kubernetes", ("kafkatopic",)):
        found = job.written(topic, "spec.config.retention.bytes")
        kept = amount(job, topic, "spec.config.retention.bytes").value
        partitions, replicas = (amount(job, topic, f"spec.{name}").value for name in ("partitions", "replicas"))
        clusters = clusters_of(job, topic)
        if found is None or not kept or kept < 0 or not partitions or not replicas or not clusters or topic.open:
            continue
        policy = job.written(topic, "spec.config.cleanup.policy")
        if policy is not None and "delete" not in text(policy):
            continue  # what is only compacted has no such bound
        rooms = [room for block in clusters if (room := _room(job, block, "spec.kafka.replicas") or _pools(job, block)) is not None]
        if not rooms:
            continue
        brokers, volume = max(rooms)
        most = kept * partitions * min(replicas, brokers) / brokers
        if most > max(size for _, size in rooms):
            message = f"retention.bytes is for each partition: {partitions} partitions with {replicas} replicas of {_say(kept)} are {_say(most)} on each of {brokers} brokers, whose volumes have {_say(volume)}"
            confidence = "" if len(rooms) == len(clusters) else "low"  # another resource of that name may be the one
            yield context.finding(message, found, [(clusters[0], "the brokers")], confidence=confidence)


def _room(job: Job, block: Block, replicas: str) -> tuple[int, float] | None:
    """How many brokers there are, and the bytes that the volumes of one have; None where one of these cannot be known."""
    brokers = amount(job, block, replicas).value
    sizes = [setting for setting in job.of(block) if _SIZE.fullmatch(setting.key)]
    bytes_of = [kubernetes_memory(setting.text) if setting.known else None for setting in sizes]
    known = [size for size in bytes_of if size is not None]
    return (brokers, sum(known)) if brokers and known and len(known) == len(bytes_of) and not block.open else None


def _pools(job: Job, block: Block) -> tuple[int, float] | None:
    """The same of a cluster whose nodes are in pools, in the file of its resource; the largest volumes."""
    pools = pools_of(job, block)
    rooms = [room for pool in pools if (room := _room(job, pool, "spec.replicas")) is not None]
    return (sum(count for count, _ in rooms), max(size for _, size in rooms)) if rooms and len(rooms) == len(pools) else None


def _say(size: float) -> str:
    return f"{size / _GIB:.3g} GiB"
