"""Sorts without a LIMIT of what never ends: only an ascending time attribute can be sorted by."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    for statement, table in tables.timeless_reads(job, frozenset({"order-by"})):
        message = (
            f"the statement is refused: a stream is sorted by an ascending time attribute only, or with a LIMIT, and {table.name} has neither a "
            f"watermark nor a column of PROCTIME()"
        )
        yield context.finding(message, statement.place, [(table, "no time attribute")])
