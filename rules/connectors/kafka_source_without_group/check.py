"""The startup mode `group-offsets`, which is the default, without `properties.group.id`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.readers.versions import engine_versions
from shoal.templates import tables

# From here on tables read through KafkaSource, which refuses to look for the offsets of no group (FLINK-22914).
_REFUSES = (1, 14)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Without a written startup mode only tables that are surely read from; a source in code then starts at the earliest offset."""
    for table in tables.readers(job, "kafka"):
        mode = tables.option(job, table, tables.STARTUP)
        if table.open or tables.option(job, table, tables.GROUP) or (table.role == "table" and job.written(table, "connector") is None):
            continue
        if table.role == "table" and _of_old(job) and (mode is None or tables.text(mode) == "group-offsets"):
            if table.trait("source") == "true":
                message = "the table has no group: it begins with the newest records at each start without state, and the first commit of its offsets, which comes with a checkpoint, fails"
                yield context.finding(message, mode or table, severity="info", confidence="low")
        elif mode is None and table.role == "table" and table.trait("source") == "true":
            message = "the job is refused: a Kafka table starts from its group's offsets unless scan.startup.mode says otherwise, and there is no properties.group.id"
            yield context.finding(message, table)
        elif mode is not None and tables.text(mode) == "group-offsets":
            yield context.finding("the job is refused: it is to start from its group's offsets, and there is no properties.group.id", mode)
        elif (table.role == "source" and job.of(table)) or (mode is not None and mode.known and table.trait("source") == "true"):
            if table.role == "table" and not tables.never_ends(job, table):
                continue
            message = "the source commits its offsets nowhere, it has no group: nothing outside the job sees how far it is, and a start without state begins anew"
            yield context.finding(message, table, severity="info", confidence="low")


def _of_old(job: Job) -> bool:
    """Whether all that says which Flink it is names one whose tables read through FlinkKafkaConsumer."""
    named = [numbers(version) for dependency in job.dependencies for name, version in engine_versions(dependency) if name == "flink"]
    return bool(named) and max(named) < _REFUSES
