"""A producer without `acks`, whose library takes 1 for it: aiokafka in all releases (0.13 too), kafka-python before 3.0 (`shoal option acks`).

Two frameworks tell Kafka's client so, too (`kafka.weakened_by`). Kafka's own client and librdkafka wait for all replicas that are in sync.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka

_TAKES_ONE = ("aiokafka", "kafka-python")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for a project and a library: who sets it for one producer does so for all."""
    found: dict[str, list[Block]] = {}
    for block in job.select("kafka", ("producer",)):
        framework = kafka.weakened_by(job, block)
        library = framework or kafka.library(block)
        if not framework and (library not in _TAKES_ONE or block.open or job.get(block, "acks") is not None):
            continue
        if kafka.find(job, block, "enable.idempotence") is not None or kafka.find(job, block, "transactional.id") is not None:
            continue  # which brings acks=all, where it is on
        release = job.version(library, block) if library == "kafka-python" else None
        if library == "kafka-python" and (release is None or not release.source.exact or release.parts >= (3,)):
            continue
        found.setdefault(library, []).append(block)
    for library, (first, *others) in found.items():
        release = job.version(library, first) if library == "kafka-python" else None
        how = "acks='all', or enable_idempotence=True" if library in _TAKES_ONE else "acks=all"
        message = f"records that were acknowledged are lost when the leader fails before a follower has them: acks is not set, and 1 by default in {library}, unlike in Kafka's own client ({how})"
        related = [(other, "this one too") for other in others]
        yield context.finding(message, first, [*related, *([(release.source, "takes 1")] if release is not None else [])])
