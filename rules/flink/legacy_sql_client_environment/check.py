"""Environment files that no client reads any more."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job, numbers
from shoal.jobs.boundaries import above, folder_of
from shoal.lazy import pattern
from shoal.model import Finding

_RELEASE = pattern(r"(?:^|/)flink-(\d+\.\d+)[^/]*/")  # the folder that a release is unpacked into


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The version is that of the nearest place in the project that names one: the Dockerfile beside the file, the image in the compose file above it."""
    named: list[tuple[str, tuple[int, ...]]] | None = None
    for block in job.select("flink", ("session",)):
        if block.trait("legacy-environment") != "true":
            continue
        if named is None:
            named = list(_named(job))
        path = block.place.path
        near = max((_shared(other, path) for other, _ in named), default=0)
        versions = [numbers(match[1]) for match in [_RELEASE.search(path)] if match]
        versions = versions or [version for other, version in named if _shared(other, path) == near]
        planner = job.written(block, "execution.planner")
        if old := [version for version in versions if version < (1, 15)]:
            if around := [version for version in _around(job, path) if version >= (1, 15)]:
                one, other = (".".join(map(str, version)) for version in (min(old), max(around)))
                message = (
                    f"this file is for the client of Flink {one}, and the cluster around it may be {other}, whose client does not read it"
                )
                yield context.finding(message, planner or block, confidence="low")
            continue
        planners = f", and there is no `{planner.text}` planner to choose" if planner else ""
        message = f"no SQL client since Flink 1.15 reads this file: its tables and settings do not exist{planners}"
        yield context.finding(message, planner or block, confidence="" if versions else "low")


def _named(job: Job) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The places that name a version of Flink itself."""
    from shoal.readers.versions import engine_versions

    for dependency in job.dependencies:
        found = engine_versions(dependency)
        if found and found[0][0] == "flink" and len(version := numbers(found[0][1])) > 1:
            yield dependency.place.path, version


def _around(job: Job, path: str) -> Iterator[tuple[int, ...]]:
    """The versions that images with Flink in their name have in the folders above: those of a cluster, made from Flink's or not."""
    folders = above(folder_of(path))
    for dependency in job.dependencies:
        if dependency.ecosystem == "image" and "flink" in dependency.name and folder_of(dependency.place.path) in folders:
            version = numbers(dependency.version)
            if len(version) > 1 and version[0] in (1, 2):
                yield version


def _shared(one: str, other: str) -> int:
    """How many folders two files share."""
    first, second = (posixpath.dirname(path).split("/") for path in (one, other))
    return next((count for count, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
