"""Connector releases with a fault that the project's jobs meet."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.templates import tables
from shoal.templates.common import fits, pins
from shoal.templates.flink import KAFKA_CONNECTORS


def check(job: Job, context: Context) -> Iterator[Finding]:
    found = list(pins(job, *KAFKA_CONNECTORS))
    faults = list(_met(job)) if found else []
    for dependency, version in found:
        for versions, what, met, label in faults:
            if len(version.parts) > 1 and fits(version, versions):
                yield context.finding(f"in this release ({version.text}) {what}", dependency, [(met, label)])


def _met(job: Job) -> Iterator[tuple[str, str, Setting | Place, str]]:
    """The releases, the fault, and what in the project meets it."""
    readers = [reader for reader in tables.readers(job, "kafka") if not reader.trait("legacy")]
    for reader in readers:
        end = tables.option(job, reader, "scan.bounded.mode")
        if end is not None and tables.text(end) in ("latest-offset", "latest"):
            what = "a bounded read of a topic that is written in transactions never ends: FLINK-34470, fixed in 3.3.0"
            yield "<3.3", what, end, "it is to end here"
            break
    for _, setting, wanted in tables.sinks(job):
        if wanted == "exactly-once":
            what = "an exactly-once sink that is interrupted while it aborts transactions leaves its producers behind: FLINK-37613, fixed in 4.0.0"
            yield ">=1.15,<4.0", what, setting, "the guarantee"
            break
    if readers and tables.checkpoints(job):
        what = "offsets are not committed any more once a broker has been away, though checkpoints succeed: FLINK-28060, fixed in 1.16"
        yield ">=1.15,<1.16", what, readers[0].place, "it reads here"
