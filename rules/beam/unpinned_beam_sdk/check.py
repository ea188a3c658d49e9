"""`apache-beam` without a version in the requirements of a streaming pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.classify import classify
from shoal.context import Context
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only requirements files: what a build file leaves open, its lock settles. Constraints may stand beside them."""
    streaming = next((block for block in job.select("beam", ("pipeline",)) if beam.streams(job, block)), None)
    named = [
        one
        for one in job.dependencies
        if (one.ecosystem, one.name) == ("pypi", "apache-beam") and classify(one.place.path) == "requirements"
    ]
    pinned = {folder_of(one.place.path) for one in named if one.exact}
    for dependency in named if streaming is not None else ():
        if not dependency.version and folder_of(dependency.place.path) not in pinned:
            message = "each build of the pipeline takes the newest Beam: workers of an image or a running job of another version do not fit it, and an update may be refused"
            yield context.finding(message, dependency, [(streaming, "the pipeline streams")] if streaming is not None else [])
