"""A conf that the entry point of the image cannot write `FLINK_PROPERTIES` into."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The entry point writes into flink-conf.yaml before 2.0 where there is one, and into config.yaml since 1.19."""
    for oddity in job.oddities:
        if oddity.kind != "flink-conf-read-only":
            continue
        version = job.version("flink", job.blocks.get(oddity.block))
        file = oddity.subject.rsplit("/", 1)[-1]
        if version is not None and (
            (file == "flink-conf.yaml" and version.at_least("2.0")) or (file == "config.yaml" and version.below("1.19"))
        ):
            continue  # a file that this release does not read
        message = (
            f"what FLINK_PROPERTIES says has no effect: the entry point of the image writes it into {oddity.subject}, which is read-only here; "
            "it logs an error and starts Flink with the file as it is"
        )
        yield context.finding(message, oddity, oddity.related)
