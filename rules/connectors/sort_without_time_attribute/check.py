"""Sorts without a LIMIT of what never ends: only an ascending time attribute can be sorted by."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Every table that the statement reads must be in sight, be declared once, and have no time that could be sorted by."""
    if tables.is_batch(job):
        return
    declared: dict[str, list[Block]] = {}
    for table in tables.tables(job):
        declared.setdefault(tables.short(table.name), []).append(table)
    for statement in job.statements("insert", "select"):
        if "order-by" not in statement.features or not statement.sources:
            continue
        found = [declared.get(tables.short(source), []) for source in statement.sources]
        if all(len(ones) == 1 and tables.is_timeless(ones[0]) for ones in found) and any(tables.never_ends(job, ones[0]) for ones in found):
            table = found[0][0]
            message = (
                f"the statement is refused: a stream is sorted by an ascending time attribute only, or with a LIMIT, and {table.name} has neither a "
                f"watermark nor a column of PROCTIME()"
            )
            yield context.finding(message, statement.place, [(table, "no time attribute")])
