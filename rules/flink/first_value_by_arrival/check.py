"""FIRST_VALUE and LAST_VALUE of a window: the first row that a task has seen (`FirstValueAggFunction` of 1.20.1 knows the clock of the machine, and no column)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    if tables.is_batch(job):
        return
    for usage in job.usages("by-arrival"):
        which = "first" if usage.detail.lower().startswith("first") else "last"
        message = (
            f"{usage.detail} gives what came {which}, not what happened {which}: rows of several partitions, rows that come late and those read again after a "
            f"failure come in another order each time, and the result is another one; rank the window's rows by their time (ROW_NUMBER) where order matters"
        )
        yield context.finding(message, usage.place)
