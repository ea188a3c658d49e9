"""Classes that were deprecated in Flink 1.13 or 1.14 and went with 2.0, in projects that are built for a release between, or that say for none."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.java.constants import DEPRECATED
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("flink")
    for usage in job.usages("flink-class-deprecated"):
        since, instead = DEPRECATED[usage.detail]
        if version is not None and (version.below(since) or version.at_least("2.0")):
            continue
        name = usage.detail.rpartition(".")[2]
        related = [(version.source, f"Flink {version.text}")] if version is not None else []
        message = f"{name} is deprecated since Flink {since}, and gone in 2.0: it gets no more repairs, and the next upgrade does not compile; {instead}"
        yield context.finding(message, usage.place._replace(label=usage.detail), related)
