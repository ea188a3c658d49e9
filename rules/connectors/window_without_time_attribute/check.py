"""Windows over tables that declare neither a watermark nor PROCTIME(), and over joins that took the time attributes of theirs.

Tried on Flink 1.20.5: TUMBLE as a function of tables and in GROUP BY. On 2.2.0: over a regular join the function is refused, of event time and of PROCTIME() alike;
in GROUP BY the planner lets it pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

OVER_JOIN = "window-over-join"
_WINDOWS = frozenset({"windowed-group-by", "window-tvf"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A batch has windows over any timestamp, and a conf elsewhere may make one of a statement over tables that end."""
    for statement, table in tables.timeless_reads(job, _WINDOWS):
        message = f"the statement is refused: its window needs a time attribute, and {table.name} has neither a watermark nor a column of PROCTIME()"
        yield context.finding(message, statement.place, [(table, "no time attribute")])
    yield from _over_joins(job, context)


def _over_joins(job: Job, context: Context) -> Iterator[Finding]:
    if tables.is_batch(job):
        return
    declared: dict[str, list[Block]] = {}
    for table in tables.tables(job):
        declared.setdefault(tables.short(table.name), []).append(table)
    for statement in job.statements("insert", "select"):
        read = [one for source in statement.sources for one in declared.get(tables.short(source), [])]
        if OVER_JOIN in statement.features and read:
            message = (
                "the statement is refused: its window needs a time attribute, and after a join without bounds of time its columns are plain timestamps "
                "(join as of a time, FOR SYSTEM_TIME AS OF, or take the window first and join its rows)"
            )
            yield context.finding(
                message, statement.place, confidence="medium" if any(tables.never_ends(job, one) for one in read) else "low"
            )
