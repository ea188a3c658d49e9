"""Sinks that write by key where they have one, and append where they do not."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import tables

_APPEND = {
    "jdbc": "are inserted a second time",
    "elasticsearch-6": "are indexed a second time under new ids",
    "elasticsearch-7": "are indexed a second time under new ids",
    "opensearch": "are indexed a second time under new ids",
    "opensearch-2": "are indexed a second time under new ids",
    "mongodb": "are inserted a second time under new ids",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only in SQL, where the columns are seen, and only fed by a stream: a bounded job that fails is started from its beginning anyway."""
    if tables.is_batch(job):
        return
    sources = [table for table in tables.tables(job) if table.trait("source") == "true"]
    fed = any(table.trait("bounded") != "true" and table.trait("connector") not in ("", "datagen", "faker") for table in sources)
    if (not fed and not tables.reads_stream(job)) or _reads_nothing_again(job, sources):
        return
    for table in tables.tables(job, *_APPEND):
        if table.open or table.trait("like") or table.trait("sink") != "true" or table.trait("has-primary-key") == "true":
            continue
        if (job.get(table, "connector.type") is not None or table.trait("connector") == "jdbc") and _keyed(job, table):
            continue  # written by the key of its query, or refused: updates-into-append-only-sink
        message = f"after a restart the rows since the last checkpoint {_APPEND[table.trait('connector')]}: without a primary key the sink appends"
        named = job.get(table, "connector")
        yield context.finding(message, table, [(named, "appends")] if named is not None else [])


def _reads_nothing_again(job: Job, sources: list[Block]) -> bool:
    """Whether a restart begins at the end of each topic: without checkpoints there is no position to go back to."""
    modes = [tables.text(job.get(table, "scan.startup.mode")) for table in sources if table.trait("connector") == "kafka"]
    return bool(modes) and len(modes) == len(sources) and set(modes) == {"latest-offset"} and questions.interval(job) is None


def _keyed(job: Job, table: Block) -> bool:
    """Whether a query that groups writes it: the tables of old, by `connector.type`, have their key of that."""
    name = tables.short(table.name)
    return any("group-by" in statement.features for statement in job.statements("insert") if tables.short(statement.target) == name)
