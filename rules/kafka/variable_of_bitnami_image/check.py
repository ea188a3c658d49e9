"""KAFKA_CFG_…, and what is said of KRaft, in the environment of images that take what stands behind KAFKA_ for the option."""

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
    for found in of_broker.values():
        yield from _of_kraft(context, [one for one in found if not one.subject.startswith("KAFKA_CFG_")])
        options = [one for one in found if one.subject.startswith("KAFKA_CFG_")]
        if not options:
            continue
        first, *others = options
        key = first.subject.removeprefix("KAFKA_").replace("_", ".").lower()
        yield context.finding(
            f"the broker has no option `{key}`, which {first.detail} makes of {first.subject}: KAFKA_CFG_ is for the images of Bitnami, here it is KAFKA_",
            first,
            [(other, "nor this") for other in others[:9]],
        )


def _of_kraft(context: Context, found: list[Oddity]) -> Iterator[Finding]:
    """What is meant to switch KRaft on, or to name its cluster."""
    if not found:
        return
    first, *others = found
    names_cluster = first.subject == "KAFKA_KRAFT_CLUSTER_ID"
    meant = "CLUSTER_ID names the cluster here" if names_cluster else "a node is one of KRaft where KAFKA_PROCESS_ROLES says so"
    yield context.finding(
        f"{first.subject} has no effect: {first.detail} does not read it (it is of Bitnami's image, or of none); {meant}",
        first,
        [(other, "nor this") for other in others[:9]],
        "warning",
    )
