"""`json.fail-on-missing-field` and `json.ignore-parse-errors`, both true."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    for table in tables.tables(job):
        for prefix in ("json.", "value.json.", "key.json."):
            fail, ignore = (
                tables.option(job, table, f"{prefix}fail-on-missing-field"),
                tables.option(job, table, f"{prefix}ignore-parse-errors"),
            )
            if fail and ignore and tables.text(fail) == tables.text(ignore) == "true":
                message = f"the statement is refused: {fail.key} and {ignore.key} are both true"
                yield context.finding(message, fail, [(ignore, "the other one")])
