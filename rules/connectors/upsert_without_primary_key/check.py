"""`upsert-kafka` without `PRIMARY KEY … NOT ENFORCED`, and Iceberg's upsert mode."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only where the columns are seen; a table made LIKE another may have the other's key."""
    for table in tables.tables(job):
        if table.trait("connector") not in ("upsert-kafka", "iceberg", "") or not tables.keyless(table):
            continue
        if table.trait("connector") == "upsert-kafka":
            yield context.finding(
                "the table is refused: an upsert-kafka table needs a primary key, it becomes the key of the messages", table
            )
            continue
        upsert, early = job.written(table, "write.upsert.enabled"), job.written(table, "write.upsert.enable")
        if upsert is not None and tables.text(upsert) == "true":
            message = "an insert into the table is refused: Iceberg's upsert mode replaces rows by the primary key, and the table has none"
            yield context.finding(message, upsert, [(table, "no primary key")])
        elif early is not None and tables.text(early) == "true":
            message = "no row is ever replaced: Iceberg's upsert mode goes by the primary key, and the table has none (and no release reads this property: it is write.upsert.enabled)"
            yield context.finding(message, early, [(table, "no primary key")], confidence="medium")
