"""`https://dlcdn.apache.org/spark/spark-3.4.1/…`: the servers for downloads keep the newest release of each line that still gets some."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job, numbers
from shoal.model import Edit, Finding, Fix

# Later releases of the same line, or of the lines after which this one gets none: all that is older has been moved, in 2025 at the latest.
_FIRST_THERE: dict[str, dict[tuple[int, ...], tuple[int, ...]]] = {
    "flink": {(1, 20): (1, 20, 2), (2, 0): (2, 0, 1)},
    "spark": {(3, 5): (3, 5, 6), (4, 0): (4, 0, 1)},
    "kafka": {(3, 9): (3, 9, 1), (4, 0): (4, 0, 1)},
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Of one release that is fetched in several places, each: none of them works."""
    for oddity in job.oddities:
        if oddity.kind != "newest-releases-only":
            continue
        name, _, version = oddity.subject.partition(" ")
        release = numbers(version)
        if len(release) < 3 or not _moved(name, release):
            continue
        message = (
            f"the download ends with 404: {oddity.detail} keeps the newest releases alone, and {name} {version} is none of them any more "
            f"(https://archive.apache.org/dist/{name}/ keeps all)"
        )
        span = oddity.place.span
        at = span._replace(start=span.start + len("https://"), end=span.start + len("https://") + len(oddity.detail))
        moved = Fix("fetch it from the archive", "unsafe", (Edit(oddity.place.path, at, "archive.apache.org/dist"),))
        yield context.finding(message, oddity, fixes=[moved])


def _moved(name: str, release: tuple[int, ...]) -> bool:
    lines = _FIRST_THERE[name]
    first = lines.get(release[:2])
    return release < first if first is not None else release[:2] < min(lines)
