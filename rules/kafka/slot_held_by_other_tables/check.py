"""Debezium's connectors for PostgreSQL that read some tables only, and send no heartbeat: their slot moves with those tables."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text, verbatim

_CLASS = "io.debezium.connector.postgresql.PostgresConnector"
_SOME = ("table.include.list", "table.whitelist", "schema.include.list", "schema.whitelist")
# The driver's own flush, which answers what the server says, moves the slot as well.
_DRIVER = "connector_and_driver"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        some = next((found for key in _SOME if (found := job.written(block, key)) is not None), None)
        # variables of its container could say more to Debezium Server, as they could of all its options
        hidden = block.open and block.trait("program") != "debezium-server"
        if some is None or hidden or verbatim(job.written(block, "connector.class")) != _CLASS or _moves(job, block):
            continue
        interval = job.written(block, "heartbeat.interval.ms")
        if interval is not None and text(interval) != "0":
            continue
        why = "heartbeat.interval.ms is 0" if interval is not None else "no heartbeat.interval.ms"
        message = (
            f"the server keeps its log for as long as these tables are quiet, however much the others write, until its disk is full: {why}"
        )
        yield context.finding(message, interval or some)


def _moves(job: Job, block: Block) -> bool:
    """Whether there is no slot that stays, or something else moves it."""
    mode, flush = job.written(block, "snapshot.mode"), job.written(block, "lsn.flush.mode")
    return text(mode) == "initial_only" or (flush is not None and (not flush.known or text(flush) == _DRIVER))
