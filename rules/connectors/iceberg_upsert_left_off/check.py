"""`write.upsert.enable`, where Iceberg reads `write.upsert.enabled`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job):
        asked = job.written(table, "write.upsert.enable")
        if (
            asked is not None
            and tables.text(asked) == "true"
            and table.trait("connector") in ("iceberg", "")
            and job.written(table, "write.upsert.enabled") is None
        ):
            yield context.finding(
                "rows are added and none is replaced: no release of Iceberg reads this property, it is write.upsert.enabled", asked
            )
