"""Aggregates without a window, and change streams, written to an Iceberg table that has no key to find the row of before (read in iceberg-flink 1.5.2)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Statement
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The sink takes rows of every kind: without equality fields its writer looks at none, and writes them all."""
    if tables.is_batch(job):
        return
    catalogs = {block.name: block.trait("type") for block in job.select("flink", ("catalog",))}
    views = {tables.short(one.target): one for one in job.statements("create-view")}
    for statement in job.statements("insert"):
        named = [table for table in tables.tables(job) if tables.means(table, statement.target)]
        sinks = [table for table in named if table.name == statement.target] or named
        # of a name that is made twice nobody knows which one is meant
        if len(sinks) != 1 or not _is_keyless(sinks[0], catalogs):
            continue
        found = _changing(job, statement, views)
        if found is not None:
            why, place = found
            message = f"the table gets a row for each change, and none is ever replaced or removed: {why}, and an Iceberg table without a primary key appends whatever comes, also the row that takes an older one back"
            yield context.finding(message, statement.place, [(place, "changes"), (sinks[0], "has no key")])


def _is_keyless(table: Block, catalogs: dict[str, str]) -> bool:
    """Whether a table of Iceberg is declared in full, with no key in it."""
    connector = table.trait("connector")
    lake = connector == "iceberg" or (not connector and catalogs.get(table.trait("catalog"), "") == "iceberg")
    seen = table.form in tables.DECLARED and bool(table.trait("columns")) and not table.trait("like")
    return lake and seen and table.trait("has-primary-key") != "true"


def _changing(job: Job, statement: Statement, views: dict[str, Statement]) -> tuple[str, Place | Block] | None:
    """Why what a statement writes changes, and what makes it so, in itself or in the views it reads: whatever is done with changes gives changes."""
    read = tables.behind(statement, views)
    streams = [table for table in tables.tables(job) if tables.never_ends(job, table) and tables.short(table.name) in read]
    if not streams:
        return None
    for one in (statement, *(views[name] for name in sorted(read & views.keys()))):
        if "group-by" in one.features:
            return "each record changes the result of an aggregation without a window", one.place
    feed = next((table for table in streams if tables.changes(job, table)), None)
    return (f"{feed.name} tells of rows that change and go", tables.head(job, feed)) if feed is not None else None
