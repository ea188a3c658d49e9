"""`mysql-cdc` reads the snapshot in chunks of the key since 2.0, unless it is told otherwise (run on 3.2.1)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("flink")
    if version is not None and version.below("1.13"):
        return  # before connectors of that release
    connectors = [dependency for dependency in job.dependencies if "mysql-cdc" in dependency.name]
    if any(dependency.version.startswith("1.") for dependency in connectors):
        return
    for table in tables.tables(job, "mysql-cdc"):
        if not tables.keyless(table):
            continue
        chunks = tables.option(job, table, "scan.incremental.snapshot.enabled")
        if tables.text(chunks) == "false" or (chunks is not None and not chunks.known):
            continue
        if tables.option(job, table, "scan.incremental.snapshot.chunk.key-column") is not None:
            continue
        message = "the table is refused where it is read: without a primary key (NOT ENFORCED) it needs scan.incremental.snapshot.chunk.key-column, the snapshot is read in chunks of it"
        yield context.finding(message, tables.head(job, table), [(table, "has no primary key")])
