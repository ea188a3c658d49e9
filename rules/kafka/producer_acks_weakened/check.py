"""`acks` of 0 or 1."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka

_LOSS = {
    "0": "records are lost without any error: nobody acknowledges them",
    "1": "records that were acknowledged are lost when the leader fails before a follower has them",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Contradictions with idempotence are another rule's business."""
    for block in kafka.clients(job, "producer"):
        acks = kafka.acks(job, block)
        value = acks.text.strip() if acks is not None and acks.known else ""
        if (
            acks is None
            or value not in _LOSS
            or kafka.find(job, block, "transactional.id")
            or kafka.flag(job, block, "enable.idempotence")[1]
        ):
            continue
        table = job.parent(block)
        guarantee = job.get(table, "sink.delivery-guarantee") if table else None
        message = f"{_LOSS[value]} (acks={value})"
        if guarantee is not None and guarantee.known and guarantee.text.strip().lower() != "none":
            message += f"; the sink promises {guarantee.text.strip()}"
            yield context.finding(message, acks, [(guarantee, "the promise")], severity="error")
        elif value == "0":
            yield context.finding(message, acks)
        elif kafka.compose_brokers(job)[1] == 1:
            # no follower can be behind the leader yet: acks=all says as much here
            yield context.finding(f"{message}, once there are more brokers than the one here", acks, confidence="low")
        else:
            yield context.finding(message, acks, confidence="medium")
