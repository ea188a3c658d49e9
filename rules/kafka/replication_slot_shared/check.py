"""Replication slots of Debezium's connectors for PostgreSQL: one is read by one connector, and its name is the server's, not the database's."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding
from shoal.records import NamedTuple
from shoal.templates import debezium
from shoal.templates.common import text, verbatim

_CLASS = "io.debezium.connector.postgresql.PostgresConnector"
_DEFAULT = "debezium"


class _Reader(NamedTuple):
    """A connector, the server that it asks and its port, the database, the tables, and the slot; `slot` is None where it is the default one."""

    block: Block
    host: Setting
    server: str
    port: str
    database: str
    tables: str
    slot: Setting | None

    @property
    def slot_name(self) -> str:
        return verbatim(self.slot) or _DEFAULT


def check(job: Job, context: Context) -> Iterator[Finding]:
    # what stands in another folder may be another environment's
    first: dict[tuple[str, ...], _Reader] = {}
    for block in job.select("kafka-connect", ("connector",)):
        reader = _reader(job, block)
        if reader is None:
            continue
        key = (folder_of(block.place.path), block.trait("namespace"), reader.server, reader.port, reader.slot_name)
        other = first.setdefault(key, reader)
        apart = (reader.database, reader.tables) != (other.database, other.tables)
        confidence = debezium.both_run(job, block, other.block, apart)
        if other.block.name != block.name and confidence is not None:
            related = [(other.slot or other.block, other.block.name), (reader.host, "the server"), (other.host, "the server, there")]
            yield context.finding(_message(reader, other), reader.slot or block, related, confidence=confidence)


def _reader(job: Job, block: Block) -> _Reader | None:
    """A connector that surely reads a slot which is known."""
    host, slot = job.written(block, "database.hostname"), job.written(block, "slot.name")
    port, mode = job.written(block, "database.port"), job.written(block, "snapshot.mode")
    server, at = debezium.told(host), "5432" if port is None else debezium.told(port)
    known = all(setting is None or setting.known for setting in (slot, mode)) and at
    if verbatim(job.written(block, "connector.class")) != _CLASS or not block.name or host is None or not known:
        return None
    if not server or text(mode) in ("initial_only", "custom") or (block.open and slot is None):
        return None  # a connector that stops after the snapshot makes no slot
    database, tables = (verbatim(job.written(block, key)) for key in ("database.dbname", "table.include.list"))
    return _Reader(block, host, server, at, database, tables, slot)


def _message(reader: _Reader, other: _Reader) -> str:
    slot = f"`{reader.slot_name}`" + ("" if reader.slot is not None else ", the default,")
    if reader.database and other.database and reader.database != other.database:
        return f"a slot is for one database of a server: {slot} is made for {other.database} by {other.block.name}, and this connector, for {reader.database}, fails"
    return f"a slot has one reader: {slot} of {reader.server} is also {other.block.name}'s, and who comes second fails"
