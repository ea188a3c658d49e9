"""Startup and bounded modes that need a second option."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables

_NEEDED = {"timestamp": "timestamp-millis", "specific-offsets": "specific-offsets"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, "kafka", "upsert-kafka"):
        for side in ("startup", "bounded"):
            mode = tables.option(job, table, f"scan.{side}.mode")
            needed = f"scan.{side}.{_NEEDED.get(tables.text(mode), '')}"
            if mode is None or table.open or needed.endswith(".") or tables.option(job, table, needed):
                continue
            yield context.finding(f"the statement is refused: the {side} mode {tables.text(mode)} needs {needed}", mode)
