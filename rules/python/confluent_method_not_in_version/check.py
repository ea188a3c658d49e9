"""`Producer.close()` and clients in a `with`, which came with confluent-kafka 2.13.0 (tried with 2.12.2 and 2.13.0)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.readers.versions import normal


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("confluent-kafka") if _pinned(job) else None
    for usage in job.usages("confluent-api-since"):
        since, _, name = usage.detail.partition(" ")
        if version is not None and version.below(since):
            client, _, method = name.partition(".")
            what, error = (f"a {client} in a `with`", "an error") if method == "__enter__" else (f"{name}()", "an AttributeError")
            instead = "flush() alone, with a look at what it gives back" if client == "Producer" else "close() in a finally"
            message = f"{what} came with confluent-kafka {since}, and this project pins {version.text}: this ends with {error} ({instead})"
            yield context.finding(message, usage.place, [(version.source, f"confluent-kafka {version.text}")])


def _pinned(job: Job) -> bool:
    """Whether each file that names the package names one release of it: a file that leaves it open may be the one for this program."""
    named: dict[str, bool] = {}
    for dependency in job.dependencies:
        if dependency.ecosystem == "pypi" and normal(dependency.name) == "confluent-kafka":
            named[dependency.place.path] = named.get(dependency.place.path, False) or dependency.exact
    return all(named.values())
