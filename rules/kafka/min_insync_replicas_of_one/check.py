"""`min.insync.replicas` of 1 beside three and more replicas, of a broker's topics, of one topic or of the log of transactions."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.kafka import amount, topics

_SEVERAL = 3


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Where the option is left out, its default of 1 may be known."""
    for block in job.select("kafka", ("broker",)):
        replicas, least = amount(job, block, "default.replication.factor"), amount(job, block, "min.insync.replicas", 1)
        if replicas.setting is not None and (replicas.value or 0) >= _SEVERAL and least.value == 1:
            written = "min.insync.replicas is 1" if least.setting is not None else "min.insync.replicas is left at 1"
            message = f"of {replicas.value} replicas the leader alone is enough for acks=all where the others are behind: {written}, and what only it has is lost with it"
            at, *others = [one for one in (least.setting, replicas.setting) if one is not None]
            related = [(other, "of so many replicas") for other in others]
            yield context.finding(message, at, related, confidence="" if least.setting is not None else "low")
        copies, least = amount(job, block, "transaction.state.log.replication.factor"), amount(job, block, "transaction.state.log.min.isr")
        if copies.setting is not None and least.setting is not None and (copies.value or 0) >= _SEVERAL and least.value == 1:
            message = f"of {copies.value} replicas of the transactions' log the leader alone is enough: transaction.state.log.min.isr is 1, and a transaction whose end only it has is forgotten with it"
            yield context.finding(message, least.setting, [(copies.setting, "of so many replicas")])
    for topic in topics(job):
        replicas, least = topic.replicas, amount(job, topic.block, topic.option("min.insync.replicas"))
        if replicas.setting is not None and least.setting is not None and (replicas.value or 0) >= _SEVERAL and least.value == 1:
            message = f"of {replicas.value} replicas the leader alone is enough for acks=all where the others are behind: min.insync.replicas is 1, and what only it has is lost with it"
            yield context.finding(message, least.setting, [(replicas.setting, "of so many replicas")])
