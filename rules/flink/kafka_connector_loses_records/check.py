"""Connector releases whose sink swallows errors."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.templates.common import fits, pins
from shoal.templates.flink import KAFKA_CONNECTORS

_FAULTS = (
    (">=3.0,<3.3", "FLINK-35749, fixed in 3.3.0"),
    (">=1.15,<1.16.2", "FLINK-31305, fixed in 1.16.2, 1.17.1 and 3.0.0"),
    ("=1.17.0", "FLINK-31305, fixed in 1.17.1 and 3.0.0"),
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Less sure where nothing shows a Kafka sink: the jobs may be in a language that is not read, or only read from Kafka.

    A jar that Python code adds serves the job of that file; any other pin serves the whole project.
    """
    sinks = [block for block in job.select("flink", ("sink", "table")) if _sink(block)]
    writing = {block.place.path for block in sinks if not block.trait("legacy")}
    if sinks and not writing:
        return  # the producer before KafkaSink looks for errors itself
    reading = {block.place.path for block in job.select("flink", ("source", "table"))} - writing
    for dependency, version in pins(job, *KAFKA_CONNECTORS):
        for versions, fault in _FAULTS if len(version.parts) > 1 else ():
            if fits(version, versions) and (versions[0] != "=" or version.parts == numbers(versions[1:])):
                message = f"while a broker is away, a Kafka sink of this release ({version.text}) drops records and lets the checkpoint succeed: {fault}"
                path = dependency.place.path
                only_reads = path in reading and path.endswith((".py", ".java"))
                yield context.finding(message, dependency, confidence="" if writing and not only_reads else "low")


def _sink(block: Block) -> bool:
    kafka = block.trait("connector") in ("kafka", "upsert-kafka")
    return kafka and (block.role == "sink" or block.trait("sink") == "true")
