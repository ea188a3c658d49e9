"""Aggregates without a window, and change streams of databases, written where rows can only be added (run on 1.20.1)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_APPENDS = tables.APPENDS | {"parquet", "orc"}
_SINKS = ("kafka", "filesystem", "kinesis", "firehose")


def check(job: Job, context: Context) -> Iterator[Finding]:
    if tables.is_batch(job):
        return
    known = {table.name.rsplit(".", 1)[-1]: table for table in tables.tables(job)}
    for statement in job.statements("insert"):
        sink = known.get(statement.target.rsplit(".", 1)[-1])
        if sink is None or sink.trait("connector") not in (*_SINKS, "jdbc"):
            continue
        what = _only_adds(job, sink)
        if not what:
            continue
        why, source = "", known.get(statement.sources[0].rsplit(".", 1)[-1]) if len(statement.sources) == 1 else None
        if "group-by" in statement.features:
            why = "each record changes the result of an aggregation without a window"
        elif source is not None and not statement.features and tables.changes(job, source):
            why = f"{source.name} tells of rows that change and go"
        if why:
            message = f"the statement is refused: {why}, and a {sink.trait('connector')} table {what} can only add rows"
            yield context.finding(message, statement.place, [(sink, "only adds rows")])


def _only_adds(job: Job, sink: Block) -> str:
    """What about a table makes it one that rows are only added to; empty where they can be changed as well, or that is not seen."""
    if sink.trait("connector") == "jdbc":
        seen = not sink.open and not sink.trait("like") and job.get(sink, "connector.type") is None
        return "without a primary key" if seen and sink.trait("has-primary-key") != "true" else ""
    written = tables.text(tables.option(job, sink, "value.format", "format"))
    return f"of the format {written}" if written in _APPENDS else ""
