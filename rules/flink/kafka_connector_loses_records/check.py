"""Connector releases whose sink swallows errors."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job, Version, numbers
from shoal.model import Finding
from shoal.templates.common import fits

_FAULTS = (
    (">=3.0,<3.3", "FLINK-35749, fixed in 3.3.0"),
    (">=1.15,<1.16.2", "FLINK-31305, fixed in 1.16.2, 1.17.1 and 3.0.0"),
    ("=1.17.0", "FLINK-31305, fixed in 1.17.1 and 3.0.0"),
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Less sure where nothing shows a Kafka sink: the jobs may be in a language that is not read, or only read from Kafka.

    A jar that Python code adds serves the job of that file; any other pin serves the whole project.
    """
    from shoal.readers.versions import engine_versions

    sinks = [block for block in job.select("flink", ("sink", "table")) if _sink(block)]
    writing = {block.place.path for block in sinks if not block.trait("legacy")}
    if sinks and not writing:
        return  # the producer before KafkaSink looks for errors itself
    reading = {block.place.path for block in job.select("flink", ("source", "table"))} - writing
    seen = set()
    for dependency in job.dependencies:
        if not dependency.exact:
            continue
        for name, text in engine_versions(dependency):
            parts = numbers(text)
            if (
                name not in ("flink-connector-kafka", "flink-sql-connector-kafka")
                or len(parts) < 2
                or (dependency.place.path, dependency.name, text) in seen
            ):
                continue
            seen.add((dependency.place.path, dependency.name, text))  # a download line names the jar twice
            for versions, fault in _FAULTS:
                if fits(Version(parts, dependency), versions) and (versions[0] != "=" or parts == numbers(versions[1:])):
                    message = f"while a broker is away, a Kafka sink of this release ({text}) drops records and lets the checkpoint succeed: {fault}"
                    path = dependency.place.path
                    only_reads = path in reading and path.endswith((".py", ".java"))
                    yield context.finding(message, dependency, confidence="" if writing and not only_reads else "low")


def _sink(block: Block) -> bool:
    kafka = block.trait("connector") in ("kafka", "upsert-kafka")
    return kafka and (block.role == "sink" or block.trait("sink") == "true")
