"""`spark.sql.streaming.…` options that no release knows and that look like one that exists."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Names that resemble nothing may be a vendor's own: nothing is said about them."""
    options = catalogue.load("spark")
    for block in job.select("spark", ("defaults", "application", "submit", "job", "session")):
        for setting in job.of(block):
            if not setting.key.startswith("spark.sql.streaming.") or options.known(setting.key):
                continue
            near = options.nearest(setting.key)
            if near:
                message = f"Spark ignores {setting.key}, it has no such option; did you mean {near[0]}?"
                fixes = [context.rename(setting, near[0], f"write {near[0]}", "unsafe")]
                yield context.finding(message, setting.key_place(), fixes=fixes, covers=[setting.place("covers")])
