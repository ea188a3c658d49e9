"""Tables of databases that lookup joins read without `lookup.cache`, whose default is NONE (JDBC, MongoDB)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

# The cache, and the pair that turned it on before Flink 1.16.
_CACHE = ("lookup.cache", "lookup.cache.max-rows", "lookup.partial-cache.max-rows", "lookup.cache.ttl")


def check(job: Job, context: Context) -> Iterator[Finding]:
    if tables.is_batch(job):
        return
    joins = {
        tables.short(source): statement
        for statement in job.statements()
        if "temporal-join" in statement.features
        for source in statement.sources
    }
    for table in tables.tables(job, "jdbc", "mongodb"):
        join = joins.get(tables.short(table.name))
        cache = tables.option(job, table, *_CACHE)
        if join is None or table.open or table.trait("like") or (cache is not None and (not cache.known or cache.text.upper() != "NONE")):
            continue
        message = f"each record that is joined with {table.name} waits for a query of its own: lookup.cache is {'NONE' if cache else 'not set, and NONE by default'}"
        yield context.finding(message, cache or tables.head(job, table), related=[(join.place, "joined here")])
