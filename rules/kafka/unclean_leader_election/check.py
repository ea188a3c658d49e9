"""`unclean.leader.election.enable` of brokers and of topics."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.kafka import amount, flag, topics

_KEY = "unclean.leader.election.enable"


def check(job: Job, context: Context) -> Iterator[Finding]:
    brokers = [
        (block, _KEY, amount(job, block, "default.replication.factor"))
        for block in job.select("kafka", ("broker",))
        if not block.trait("tool")
    ]
    for block, key, replicas in [*brokers, *((topic.block, topic.option(_KEY), topic.replicas) for topic in topics(job))]:
        setting, on = flag(job, block, key)
        if setting is not None and on and replicas.value != 1:
            yield context.finding(
                "records that were acknowledged are lost when all replicas in sync are down: one that is behind becomes the leader, and the others "
                "cut off what it does not have",
                setting,
                confidence="low" if replicas.setting is not None and replicas.value is None else "",  # there may be one replica
            )
