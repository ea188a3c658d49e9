"""Requirements by a name that PyPI gives to another project."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

# What brings the module that is meant, and is not in the way of the other project's.
_MEANT = {"pyflink": "apache-flink"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """With what was meant beside it, the import works: the other project is only good for nothing."""
    there = {(one.place.path, one.name) for one in job.dependencies if one.ecosystem == "pypi"}
    for oddity in job.oddities:
        if oddity.kind != "mistaken-package":
            continue
        meant = _MEANT.get(oddity.subject, "")
        if meant and (oddity.place.path, meant) in there:
            message = f"`{oddity.subject}` is good for nothing beside {meant}: the module of that name is the latter's, and this one brings another"
            yield context.finding(message, oddity, severity="info", confidence="low")
            continue
        yield context.finding(f"`{oddity.subject}` is not the package that is meant: {oddity.detail}", oddity)
