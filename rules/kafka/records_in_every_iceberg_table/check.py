"""`iceberg.tables` with several names: without a route field the writer hands each record to all of them."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import iceberg_sink


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block, _ in iceberg_sink.sinks(job):
        tables = job.get(block, "iceberg.tables")
        if tables is None or not tables.known or iceberg_sink.is_dynamic(job, block) is not False:
            continue
        names = [one.strip() for one in tables.text.split(",") if one.strip()]
        if len(names) > 1 and job.get(block, "iceberg.tables.route-field") is None:
            message = f"each record is written to all {len(names)} tables, of whichever topic it is: without iceberg.tables.route-field nothing says which one it is for"
            yield context.finding(message, tables)
