"""`scan.…` on tables that a script only writes to."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables
from shoal.text import MASK


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job, *tables.STRICT):
        if table.form not in tables.DECLARED or table.trait("sink") != "true" or table.trait("source") == "true":
            continue
        for setting in job.of(table):
            option = tables.described(table, setting.key) if setting.key.startswith("scan.") else None
            if option is not None and option.scope == "source":
                message = f"{setting.key} has no effect: {'this table' if MASK in table.name else table.name or 'this table'} is only written to here, and only a source reads it"
                yield context.finding(message, setting.key_place(label=setting.key), covers=[setting])
