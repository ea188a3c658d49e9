"""INSERTs whose columns are not as many as those of their table (`DynamicSinkUtils` of 1.20.1 asks for those that are persisted)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.readers.sql_tables import same_table
from shoal.templates import tables
from shoal.text import MASK


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only where each table of that name that is in sight has the same number of columns, and none gets any later."""
    altered = [usage.detail for usage in job.usages("columns-altered")]
    for usage in job.usages("inserts"):
        given, listed, target = usage.detail.split(" ", 2)
        if listed != "0":
            if given != listed:
                yield context.finding(
                    f"the statement is refused: it names {listed} columns of {target}, and the query gives {given}", usage.place
                )
            continue
        found = [table for table in tables.tables(job) if tables.means(table, target)]
        counts = {table.trait("columns") for table in found}
        if len(counts) != 1 or MASK in target or any(table.trait("like") or not table.trait("connector") for table in found):
            continue
        (has,) = counts
        if has and has != given and not any(same_table(name, target) for name in altered):
            message = f'the statement is refused ("Different number of columns"): the query gives {given} columns, and {target} takes {has}'
            yield context.finding(message, usage.place, [(found[0], f"{has} columns that are written")])
