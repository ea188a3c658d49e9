"""Stock images of Spark, Kafka, Redpanda, Debezium and Beam whose tag names no version."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job
from shoal.model import Finding
from shoal.readers.versions import image_engine

_ENGINES = {
    "spark": "Spark: connectors and packages fit one, and a checkpoint need not be read by another",
    "kafka": "Kafka: 4.0 knows no ZooKeeper, and speaks to no client from before 2.1",
    "redpanda": "Redpanda: its releases follow one another, none may be left out on the way up, and there is no way back",
    "debezium": "Debezium, and with it of Kafka: options of connectors have other names since 2.0",
    "beam": "Beam: a worker and the pipeline that it runs must be of one",
    "dataflow-launcher": "the launcher of Dataflow's templates, and of what is installed in it",
}
_ENGINES["confluent-platform"] = _ENGINES["kafka"]


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for an image, at the first place; services of one file often share it."""
    places: dict[str, list[Dependency]] = {}
    for dependency in job.dependencies:
        floats = dependency.ecosystem == "image" and not dependency.exact and dependency.version in ("", "latest", "nightly")
        if floats and image_engine(dependency.name) in _ENGINES and not _of_chart(job, dependency):
            places.setdefault(dependency.name, []).append(dependency)
    for name, found in places.items():
        shown = f"{name}:{found[0].version}" if found[0].version else f"{name} without a tag, which is latest,"
        message = f"the next pull of {shown} may bring another version of {_ENGINES[image_engine(name)]}"
        yield context.finding(message, found[0], [(other, "here, too") for other in found[1:6]])


def _of_chart(job: Job, dependency: Dependency) -> bool:
    """Whether a chart's values tell the image: it is found there."""
    at = (dependency.place.path, dependency.place.span)
    return any(one.block == dependency.block and one.sure == "default" and (one.path, one.value_span) == at for one in job.settings)
