"""`database.server.id` of Debezium's connectors for MySQL: each is a replica, and the server drops the one that has the id of a newcomer."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import debezium
from shoal.templates.common import text, verbatim

_CLASS = pattern(r"io\.debezium\.connector\.(?:mysql\.MySqlConnector|mariadb\.MariaDbConnector)")
_TABLES = ("database.include.list", "table.include.list", "database.exclude.list", "table.exclude.list")


def check(job: Job, context: Context) -> Iterator[Finding]:
    # what stands in another folder may be another environment's
    first: dict[tuple[str, ...], tuple[Block, Setting]] = {}
    for block in job.select("kafka-connect", ("connector",)):
        host, port, ids = (job.written(block, f"database.{name}") for name in ("hostname", "port", "server.id"))
        if not _CLASS.fullmatch(verbatim(job.written(block, "connector.class"))) or not block.name or ids is None:
            continue
        server, number, at = debezium.told(host), verbatim(ids), "3306" if port is None else debezium.told(port)
        # a connector that stops after the snapshot reads no binlog
        if not server or not at or not number.isdecimal() or text(job.written(block, "snapshot.mode")) == "initial_only":
            continue
        key = (folder_of(block.place.path), block.trait("namespace"), server, at, str(int(number)))
        other, theirs = first.setdefault(key, (block, ids))
        apart = any(verbatim(job.written(block, name)) != verbatim(job.written(other, name)) for name in _TABLES)
        confidence = debezium.both_run(job, block, other, apart)
        if other.name != block.name and confidence is not None:
            message = f"the two throw each other out of {server}: {block.name} and {other.name} both join it as the replica {number}"
            yield context.finding(message, ids, [(theirs, other.name)], confidence=confidence)
