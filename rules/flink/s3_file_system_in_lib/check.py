"""File systems that Flink loads as plugins only."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Mount, Oddity
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_JAR = pattern(r"flink-s3-fs-(?:hadoop|presto)-[\w.-]+\.jar$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    found: list[tuple[str, Oddity | Mount]] = [(oddity.subject, oddity) for oddity in job.oddities if oddity.kind == "s3-in-lib"]
    for mount in job.mounts:
        if mount.kind != "copy" and _JAR.search(mount.path) and posixpath.basename(posixpath.dirname(mount.path)) == "lib":
            found.append((posixpath.basename(mount.path), mount))
    for name, where in found:
        message = f"Flink does not work with {name} in lib, where its classes meet those of Flink and Hadoop: it must lie in a folder of its own under plugins"
        yield context.finding(message, where)
