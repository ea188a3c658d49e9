"""The pin of apache-flink against images and version fields."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.readers.versions import engine_versions

_PINS = ("apache-flink", "apache-flink-libraries")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Clusters that disagree among themselves say nothing; neither does a range."""
    pins, clusters = [], []
    for dependency in job.dependencies:
        parts = numbers(dict(engine_versions(dependency)).get("flink", "")) if dependency.exact else ()
        if len(parts) < 2:
            continue
        if dependency.ecosystem == "pypi" and dependency.name in _PINS:
            pins.append((dependency, parts))
        elif dependency.ecosystem in ("image", "field"):
            clusters.append((dependency, parts))
    minors = {parts[:2] for _, parts in clusters}
    if len(minors) != 1:
        return
    cluster, parts = clusters[0]
    seen: set[Dependency] = set()
    for pin, version in pins:
        if version[:2] == parts[:2] or pin in seen:
            continue
        seen.add(pin)
        where = f"PyFlink {_text(version)} and the cluster's Flink {_text(parts)}"
        if version[0] == parts[0]:
            message = f"Python functions may fail to start or break on classes that moved: {where} are of different minor versions"
        else:
            message = f"the job fails when it is submitted: {where} are of different major versions"
        yield context.finding(message, pin, [(cluster, f"Flink {_text(parts)}")], severity="" if version[0] != parts[0] else "warning")


def _text(parts: tuple[int, ...]) -> str:
    return ".".join(map(str, parts))
