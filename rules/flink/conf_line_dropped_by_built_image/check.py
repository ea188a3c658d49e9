"""`key:value` in FLINK_PROPERTIES of a service whose Dockerfile builds on Flink before 1.19, which drops lines without a blank behind the colon."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job, numbers
from shoal.jobs.programs import below
from shoal.model import Finding
from shoal.templates import flink

_FIRST = (1, 19)  # its entry point parts lines at the colon


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind != "line-without-blank":
            continue
        bases = [one for one in job.in_file(below(oddity.place, oddity.detail)).dependencies if one.ecosystem == "image"]
        if bases and all(base.name in flink.STOCK and numbers(base.version) and numbers(base.version)[:2] < _FIRST for base in bases):
            message = f"Flink drops this line without a word, and the option keeps its default: a blank belongs behind the colon ({oddity.subject.replace(':', ': ', 1)})"
            yield context.finding(message, oddity, [(bases[-1], "the image is built on this")])
