"""Windows over tables that declare neither a watermark nor PROCTIME(). Tried on Flink 1.20.5: TUMBLE as a function of tables and in GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_WINDOWS = frozenset({"windowed-group-by", "window-tvf"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A batch has windows over any timestamp, and a conf elsewhere may make one of a statement over tables that end."""
    for statement, table in tables.timeless_reads(job, _WINDOWS):
        message = f"the statement is refused: its window needs a time attribute, and {table.name} has neither a watermark nor a column of PROCTIME()"
        yield context.finding(message, statement.place, [(table, "no time attribute")])
