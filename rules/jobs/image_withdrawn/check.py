"""Images of Bitnami that are not on Docker Hub any more (`shoal.readers.images`)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Oddity
from shoal.job import Job
from shoal.model import Finding

_OWN = {
    "kafka": "apache/kafka or confluentinc/cp-kafka",
    "zookeeper": "the library's zookeeper",
    "spark": "apache/spark",
    "flink": "the library's flink",
    "schema-registry": "confluentinc/cp-schema-registry",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for an image, at the first place."""
    places: dict[str, list[Oddity]] = {}
    for oddity in job.oddities:
        if oddity.kind == "image-withdrawn":
            places.setdefault(oddity.subject, []).append(oddity)
    for name, (first, *others) in places.items():
        message = (
            f"Docker Hub has {name} no more: where no copy of it is at hand, nothing is pulled and the container is not made "
            f"(take {_OWN[first.detail]}, or bitnamilegacy/{first.detail}, which gets no fixes)"
        )
        yield context.finding(message, first, [(other, "here, too") for other in others[:6]])
