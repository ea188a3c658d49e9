"""`"at": now.isoformat()` in the records of a Python program, and a table of Flink with the same fields that reads `at TIMESTAMP(3)` from JSON by the default standard."""

from __future__ import annotations

import json
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_FEWEST = 3  # columns by which a record is known again
_TESTS = pattern(r"(?:^|/)tests?/|(?:^|/)test_[^/]*$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    records = [(json.loads(usage.detail), usage) for usage in job.usages("iso-times") if not _TESTS.search(usage.place.path)]
    said_of = set()
    for usage in job.usages("sql-time") if records else ():
        table = job.blocks.get(usage.block)
        if usage.block in said_of or (table is not None and table.trait("sink") and not table.trait("source")):
            continue
        said = json.loads(usage.detail)
        column, columns = said["column"], set(said["columns"])
        of = next((at for record, at in records if column in record["times"] and columns <= set(record["fields"])), None)
        if of is None or len(columns) < _FEWEST:
            continue
        said_of.add(usage.block)
        if said.get("by"):
            fails = (
                "of which TO_TIMESTAMP makes NULL: without a pattern it reads a space there, and a watermark on NULL fails the job"
                if said["by"] == "TO_TIMESTAMP"
                else "which CAST does not read: it wants a space there, and each record fails the job"
            )
            remedy = "TO_TIMESTAMP with a pattern that has 'T' in it, or json.timestamp-format.standard and a TIMESTAMP among the columns"
            message = f"{column} is written with a T between date and time, {fails} ({remedy})"
            yield context.finding(message, usage.place, [(of.place, "written so")])
            continue
        message = (
            f"{column} is written with a T between date and time, and the format json takes a space there: each record fails the job, or has no {column} "
            "where json.ignore-parse-errors is set (json.timestamp-format.standard is SQL by default; ISO-8601 reads the T, and a Z at the end into a TIMESTAMP_LTZ)"
        )
        yield context.finding(message, usage.place, [(of.place, "written so")])
