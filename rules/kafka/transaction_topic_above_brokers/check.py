"""Transactions that nobody can begin: their topic takes three replicas by default, and the compose file has fewer brokers."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables
from shoal.templates.kafka import BARE_BROKER, broker_image, compose_brokers

_FACTOR = "transaction.state.log.replication.factor"


def check(job: Job, context: Context) -> Iterator[Finding]:
    brokers, count = compose_brokers(job)
    asked = _transactional(job) if brokers and count < 3 else None
    for block in brokers:
        if asked is None or block.open or not BARE_BROKER.search(broker_image(job, block)) or job.written(block, _FACTOR) is not None:
            continue
        there = "there is one broker here" if count == 1 else f"there are {count} brokers here"
        message = (
            "the topic of transactions is never made, and transactional producers wait until they time out:"
            f" {_FACTOR} is not set, so it is 3, and {there}"
        )
        yield context.finding(message, block, [(asked, "asks for transactions")])


def _transactional(job: Job) -> Setting | None:
    """What makes a program of the job write in transactions, if anything does."""
    for block, setting, value in tables.sinks(job):
        if value == "exactly-once" and (block.role != "table" or block.trait("connector") in ("kafka", "upsert-kafka")):
            return setting
    return next((found for block in job.select("kafka", ("producer",)) if (found := job.written(block, "transactional.id"))), None)
