"""Startup and bounded modes that need a second option."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import cdc, tables

# For each mode what it needs, and of that one way or the other.
_NEEDED_BY_MYSQL = {
    "timestamp": ((("timestamp-millis",),),),
    "specific-offset": ((("specific-offset.gtid-set",), ("specific-offset.file", "specific-offset.pos")),),
}
_NEEDED = {"timestamp": "timestamp-millis", "specific-offsets": "specific-offsets"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, "kafka", "upsert-kafka"):
        for side in ("startup", "bounded"):
            mode = tables.option(job, table, f"scan.{side}.mode")
            needed = f"scan.{side}.{_NEEDED.get(tables.text(mode), '')}"
            if mode is None or table.open or needed.endswith(".") or tables.option(job, table, needed):
                continue
            yield context.finding(f"the statement is refused: the {side} mode {tables.text(mode)} needs {needed}", mode)
    for source in cdc.sources(job, "mysql"):
        mode = job.written(source, "scan.startup.mode")
        if mode is None or source.open:
            continue
        for either in _NEEDED_BY_MYSQL.get(tables.text(mode), ()):
            if any(all(job.written(source, f"scan.startup.{name}") for name in names) for names in either):
                continue
            ways = " or ".join(" and ".join(f"scan.startup.{name}" for name in names) for names in either)
            yield context.finding(f"the pipeline is refused: the startup mode {tables.text(mode)} needs {ways}", mode)
