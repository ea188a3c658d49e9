"""`PRIMARY KEY` without `NOT ENFORCED`, and any primary key of a Kafka table whose format only appends (run on 1.20.1)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Fix
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("flink")
    for oddity in job.oddities:
        if oddity.kind != "enforced-primary-key":
            continue
        # releases of old let the key of a single column pass (FLINK-30386, mended in 1.17)
        old = oddity.detail == "column" and version is not None and version.below("1.20")
        passes = old and version is not None and version.below("1.17")
        refused = "Flink 1.17 and later refuse the statement" if passes else "the statement is refused"
        message = f"{refused}: Flink checks no primary key, and wants to read NOT ENFORCED behind it"
        new = oddity.detail == "table" or (version is not None and not old)
        fixes = [Fix("write NOT ENFORCED", "safe", oddity.edits)]
        yield context.finding(message, oddity, confidence="low" if old else "" if new else "medium", fixes=fixes)
    for table in tables.tables(job, "kafka"):
        found = tables.option(job, table, "value.format", "format")
        if table.form not in tables.DECLARED or table.trait("has-primary-key") != "true" or tables.text(found) not in tables.APPENDS:
            continue
        message = f"the table is refused where it is read or written: records of the format {tables.text(found)} only add rows, so that no key holds (upsert-kafka overwrites by key)"
        yield context.finding(message, tables.head(job, table), [(table, "has a primary key")])
