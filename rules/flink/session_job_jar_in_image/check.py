"""Jars of session jobs by `local://`: the operator takes that for the scheme of a file system (its `ArtifactManager`, up to 1.15)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("sessionjob",)):
        jar = job.written(block, "spec.job.jarURI") if flink.by_operator(block) else None
        if jar is not None and jar.text.strip().startswith("local:"):
            message = (
                "the job is never submitted: the operator fetches a session job's jar itself and uploads it, and knows no file system `local` "
                "(https, or one that a plugin of the operator's reads)"
            )
            yield context.finding(message, jar)
