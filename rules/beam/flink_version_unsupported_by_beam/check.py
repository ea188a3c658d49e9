"""`--flink_version` and the version of the cluster against the runners that a Beam release is published with.

PUBLISHED_FLINK_VERSIONS in the wheels of apache-beam 2.48 to 2.77; releases between two that differ are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, Version, numbers
from shoal.model import Finding
from shoal.readers.versions import engine_versions
from shoal.templates import beam
from shoal.templates.common import fits

_RUNNERS = (
    (">=2.48,<2.57", "1.12 1.13 1.14 1.15 1.16"),
    (">=2.58,<2.61", "1.15 1.16 1.17 1.18"),
    (">=2.61,<2.69", "1.17 1.18 1.19"),
    (">=2.70,<2.74", "1.17 1.18 1.19 1.20"),
    (">=2.74,<2.75", "1.17 1.18 1.19 1.20 2.0"),
    (">=2.75,<2.78", "1.19 1.20 2.0 2.1 2.2"),
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The option is judged; so is a cluster's image or version field, where the pipelines of the job surely run on Flink."""
    release = job.version("beam")
    if release is None:
        return
    runners = next((known.split() for specifier, known in _RUNNERS if fits(release, specifier)), None)
    if runners is None:
        return
    pipelines = [block for block in job.select("beam", ("pipeline",)) if beam.on_flink(job, block)]
    has = f"Beam {release.text} has runners for Flink {runners[0]} to {runners[-1]}"
    for block in job.select("beam", ("pipeline",)):
        asked = beam.option(job, block, "flink_version")
        if asked is not None and asked.known and _minor(asked.text) and _minor(asked.text) not in runners:
            message = f"the pipeline does not start: {has}, not for {asked.text.strip()}"
            yield context.finding(message, asked, [(release.source, "Beam")])
    if pipelines:
        for dependency in _clusters(job):
            minor = ".".join(map(str, numbers(dict(engine_versions(dependency))["flink"])[:2]))
            if minor not in runners:
                message = f"the pipeline fails when it is submitted or restored: {has}, the cluster is {minor}"
                yield context.finding(message, dependency, [(release.source, "Beam"), (pipelines[0], "runs on Flink")], confidence="medium")


def _minor(text: str) -> str:
    return ".".join(map(str, numbers(text.strip())[:2])) if len(numbers(text.strip())) > 1 else ""


def _clusters(job: Job) -> list[Dependency]:
    """What says the version of a cluster: images and the version fields of manifests, not libraries."""
    found = []
    for dependency in job.dependencies:
        says = dict(engine_versions(dependency))
        parts = numbers(says.get("flink", ""))
        if (
            dependency.ecosystem in ("image", "field")
            and "beam" not in says
            and len(parts) > 1
            and fits(Version(parts, dependency), ">=1.12")
        ):
            found.append(dependency)
    return found
