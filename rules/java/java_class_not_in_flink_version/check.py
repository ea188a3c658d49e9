"""Imports of classes that Flink 2.0 does not have, in projects that are built for it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.java.constants import GONE
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("flink")
    if version is None or not version.at_least("2.0"):
        return
    for usage in job.usages("flink-class"):
        message = f"{usage.detail.rpartition('.')[2]} is gone in Flink 2.0, and this project is built for {version.text}: the file does not compile; {GONE[usage.detail]}"
        yield context.finding(message, usage.place._replace(label=usage.detail), [(version.source, f"Flink {version.text}")])
