"""`FOR SYSTEM_TIME AS OF` over a stream's table without a primary key (run on 1.20.1, with event time and with processing time)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

# Connectors that cannot be asked for a key: what others have, a lookup join, needs no primary key. Files of old (`connector.type`) are held in memory and asked.
_STREAMS = frozenset({"kafka", "kinesis", "datagen"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The tables of the query's own file count; where that has none of the name, those of all others, which have to agree."""
    views = {tables.short(one.target) for one in job.statements("create-view")}
    declared: dict[str, list[Block]] = {}
    for table in tables.tables(job):
        declared.setdefault(tables.short(table.name), []).append(table)
    for usage in job.usages("joined-as-of"):
        name = tables.short(usage.detail)
        found = declared.get(name, [])
        here = [table for table in found if table.place.path == usage.place.path]
        found = here or found
        if name not in views and found and all(_without_key(job, table) for table in found):
            message = f"the query is refused: {name} has no primary key, by which its versions would be told apart"
            confidence = "" if here else "medium"
            yield context.finding(message, usage.place, [(tables.head(job, found[0]), "no PRIMARY KEY")], confidence=confidence)


def _without_key(job: Job, table: Block) -> bool:
    return tables.keyless(table) and table.trait("connector") in _STREAMS and job.written(table, "connector") is not None
