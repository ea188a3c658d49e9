"""Options beside those of Kafka's own transformations: nobody reads them."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import transforms


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Where something is missing besides, the connector is refused for that, and another rule names both."""
    for transform in transforms.applied(job):
        if transform.missing():
            continue
        for option in transform.unknown():
            has = f"it has {', '.join(transform.known)}" if transform.known else "it has none"
            message = f"`{option}` has no effect: {transform.name} has no such option, and Connect reads past it ({has})"
            yield context.finding(message, transform.given[option], [(transform.type, "the transformation")])
