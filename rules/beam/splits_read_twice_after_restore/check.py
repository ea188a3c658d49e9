"""Beam before 2.64.0 on Flink: splits of an unbounded source are added by the checkpoint and by the enumerator."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, Version, numbers
from shoal.model import Finding
from shoal.templates import beam
from shoal.templates.common import fits

_FIXED = "<2.64.0"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Speaks only where the job shows that it runs on Flink: by a runner option, or by an artifact made for Flink. Once a file."""
    from shoal.readers.versions import engine_versions

    old: list[tuple[Dependency, str]] = []
    for_flink = reads_kafka = False
    for dependency in job.dependencies:
        says = dict(engine_versions(dependency))
        if "beam" not in says:
            continue
        for_flink |= "flink" in says or "flink" in dependency.name
        reads_kafka |= "io-kafka" in dependency.name
        if numbers(says["beam"]) and fits(Version(numbers(says["beam"]), dependency), _FIXED):
            old.append((dependency, says["beam"]))
    pipelines = [block for block in job.select("beam", ("pipeline",)) if beam.on_flink(job, block)]
    if not old or not (for_flink or pipelines):
        return
    reads_kafka |= any(block.name == "ReadFromKafka" for block in job.select("beam", ("transform",)))
    related = [(block, "runs on Flink") for block in pipelines[:1]]
    seen: set[str] = set()
    for dependency, version in sorted(old, key=lambda one: "flink" not in one[0].name):
        if dependency.place.path in seen:
            continue
        seen.add(dependency.place.path)
        message = (
            f"after a restore every record is read twice: Beam {version} gives the splits of an unbounded source to Flink once from the checkpoint and "
            "once from the enumerator (fixed in 2.64.0)"
        )
        yield context.finding(message, dependency, related, confidence="" if reads_kafka else "low")
