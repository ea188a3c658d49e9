"""Windows over tables that declare neither a watermark nor PROCTIME(). Tried on Flink 1.20.5: TUMBLE as a function of tables and in GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_WINDOWS = frozenset({"windowed-group-by", "window-tvf"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A batch has windows over any timestamp, and a conf elsewhere may make one of a statement over tables that end.

    Every table that the statement reads must be in sight, and be declared once.
    """
    if tables.is_batch(job):
        return
    declared: dict[str, list[Block]] = {}
    for table in tables.tables(job):
        declared.setdefault(tables.short(table.name), []).append(table)
    for statement in job.statements("insert", "select"):
        if not _WINDOWS & set(statement.features) or not statement.sources:
            continue
        found = [declared.get(tables.short(source), []) for source in statement.sources]
        if all(len(ones) == 1 and tables.is_timeless(ones[0]) for ones in found) and any(tables.never_ends(job, ones[0]) for ones in found):
            table = found[0][0]
            message = f"the statement is refused: its window needs a time attribute, and {table.name} has neither a watermark nor a column of PROCTIME()"
            yield context.finding(message, statement.place, [(table, "no time attribute")])
