"""A watermark over a partitioned source and no idle timeout, where a query waits for the watermark."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables
from shoal.values import Duration
from shoal.values.flink import parse_duration

_WAITING = frozenset({"windowed-group-by", "window-tvf", "window-join", "interval-join", "temporal-join", "match-recognize"})
_OPTIONS = ("scan.watermark.idle-timeout", "table.exec.source.idle-timeout")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only where a statement in the same file waits for the watermark of the table."""
    waiting = {
        source.rpartition(".")[2]: statement
        for statement in job.statements()
        if _WAITING & set(statement.features)
        for source in statement.sources
    }
    declared = {oddity.block: oddity.place for oddity in job.oddities if oddity.kind == "watermark"}
    for table in tables.tables(job, "kafka", "pulsar", "kinesis"):
        statement = waiting.get(table.name.rpartition(".")[2])
        if statement is None or table.open or table.trait("has-watermark") != "true" or table.trait("bounded") == "true":
            continue
        session = job.parent(table)
        if session is not None and session.trait("made") == "elsewhere":
            continue  # whoever made it may have set the timeout
        set_ = [setting for key in _OPTIONS if (setting := tables.option(job, table, key) or job.effective(table, key))]
        lengths = [parse_duration(setting.text) if setting.known else None for setting in set_]
        if any(length is None or (isinstance(length, Duration) and length.nanos > 0) for length in lengths):
            continue
        message = "one partition without new records holds the watermark back, and no window fires: table.exec.source.idle-timeout is not set (default: wait for ever)"
        yield context.finding(message, declared.get(table.id, table), [(statement.place, "waits for the watermark")], covers=[table.place])
