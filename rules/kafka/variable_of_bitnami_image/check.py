"""KAFKA_CFG_… in the environment of images that take what stands behind KAFKA_ for the option."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Oddity
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for a container, at its first variable."""
    of_broker: dict[str, list[Oddity]] = {}
    for oddity in job.oddities:
        if oddity.kind == "variable-of-bitnami":
            of_broker.setdefault(oddity.block, []).append(oddity)
    for first, *others in of_broker.values():
        key = first.subject.removeprefix("KAFKA_").replace("_", ".").lower()
        yield context.finding(
            f"the broker has no option `{key}`, which {first.detail} makes of {first.subject}: KAFKA_CFG_ is for the images of Bitnami, here it is KAFKA_",
            first,
            [(other, "nor this") for other in others[:9]],
        )
