"""`sink.buffer-flush.max-rows` and `sink.buffer-flush.interval` of upsert-kafka."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables
from shoal.values import Bad
from shoal.values.flink import parse_duration
from shoal.values.kafka import parse_int


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, "upsert-kafka"):
        rows, every = tables.option(job, table, "sink.buffer-flush.max-rows"), tables.option(job, table, "sink.buffer-flush.interval")
        on = (_positive(rows, "rows"), _positive(every, "interval"))
        if None in on or on[0] == on[1] or (table.open and not (rows and every)):
            continue
        set_ = rows if on[0] else every
        other = "sink.buffer-flush.interval" if on[0] else "sink.buffer-flush.max-rows"
        assert set_ is not None
        yield context.finding(f"the statement is refused: {set_.key} is set and {other} is not, the buffer needs both above zero", set_)


def _positive(setting: Setting | None, kind: str) -> bool | None:
    """Whether the option is above zero; None when that cannot be known."""
    if setting is None:
        return False
    if not setting.known:
        return None
    value = parse_duration(setting.text) if kind == "interval" else parse_int(setting.text)
    return None if isinstance(value, Bad) else (value if isinstance(value, int) else value.nanos) > 0
