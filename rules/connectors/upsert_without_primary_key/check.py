"""`upsert-kafka` without `PRIMARY KEY … NOT ENFORCED`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only where the columns are seen; a table made LIKE another may have the other's key."""
    for table in tables.tables(job, "upsert-kafka"):
        if table.form in tables.DECLARED and not table.open and not table.trait("like") and table.trait("has-primary-key") != "true":
            yield context.finding(
                "the table is refused: an upsert-kafka table needs a primary key, it becomes the key of the messages", table
            )
