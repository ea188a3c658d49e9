"""`lookup.cache` of PARTIAL with a number of rows and no time: a row that is asked for often enough stays as it was first read."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_WRITTEN = "lookup.partial-cache.expire-after-write"
_READ = "lookup.partial-cache.expire-after-access"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job):
        cache = tables.option(job, table, "lookup.cache")
        if cache is None or tables.text(cache) != "partial" or table.open or table.trait("like") or tables.option(job, table, _WRITTEN):
            continue
        read = tables.option(job, table, _READ)
        if read is not None:
            until = f"a row that is asked for again within {read.text} stays in the cache as it was first read" if read.known else ""
        else:
            until = "a row stays in the cache as it was first read until others push it out, which a small table never does"
        if until:
            message = f"{until}: records are joined with what the database held then ({_WRITTEN} reads it again after some time)"
            yield context.finding(message, cache, [(read, "counts from the last access")] if read is not None else [])
