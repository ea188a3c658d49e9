"""`fail-on-missing-field` on what a stream is read by."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only readers heed it. Together with `ignore-parse-errors` the table is refused, which another rule says."""
    for table in tables.tables(job):
        if not tables.never_ends(job, table) or (table.trait("sink") == "true" and table.trait("source") != "true"):
            continue
        for prefix in ("", "value.", "key."):
            fails = tables.option(job, table, f"{prefix}json.fail-on-missing-field")
            if (
                fails is not None
                and tables.text(fails) == "true"
                and tables.text(tables.option(job, table, f"{prefix}json.ignore-parse-errors")) != "true"
            ):
                message = "one record without one of the table's fields fails the job, which meets it again after each restart: without this option the field is NULL, which a query can send elsewhere"
                yield context.finding(message, fails)
