"""What Kafka's own transformations ask for when a connector is made (their ConfigDef and `configure`)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import transforms


def check(job: Job, context: Context) -> Iterator[Finding]:
    for transform in transforms.applied(job):
        missing = transform.missing()
        if missing:
            unknown = [(transform.given[option], "no option of it") for option in transform.unknown()]
            yield context.finding(f"Kafka Connect refuses the connector: {transform.name} {missing}", transform.type, unknown)
    for option, listed in transforms.untyped(job):
        yield context.finding(f"Kafka Connect refuses the connector: what is listed here has no class, `{option}` is not set", listed)
