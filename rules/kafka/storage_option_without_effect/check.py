"""Options of Confluent's storage sinks that the partitioner at hand does not read."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import storage
from shoal.templates.common import verbatim

# Its writer says so in a warning; those of HDFS go by the clock instead.
_ROTATED_BY_RECORDS = "io.confluent.connect.s3."
_OF_TIME = ("path.format", "partition.duration.ms", "timestamp.extractor", "timestamp.field")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """One finding for each thing that is missing, at the first option that does nothing for it."""
    for block, partitioner in storage.sinks(job):
        named = job.written(block, "partitioner.class")
        for keys, why in _unread(job, block, partitioner) if partitioner and not block.open else ():
            found = [setting for key in keys if (setting := job.written(block, key)) is not None and setting.text.strip() not in ("", "-1")]
            if found:
                related = [*((other, "nor has this") for other in found[1:]), *([(named, "the partitioner")] if named else [])]
                yield context.finding(f"{found[0].key} has no effect: {why}", found[0], related)


def _unread(job: Job, block: Block, partitioner: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Options, and why nothing reads them here."""
    which = f"{partitioner}Partitioner" + ("" if job.written(block, "partitioner.class") else ", the default,")
    if partitioner in storage.BY_TIME:
        extractor = job.written(block, "timestamp.extractor")
        if extractor is None or verbatim(extractor) in ("Wallclock", "Record"):
            told = "is not set (default: Wallclock)" if extractor is None else f"is {verbatim(extractor)}"
            taken = "the time of Kafka's record" if verbatim(extractor) == "Record" else "the time at which a record is written"
            yield ("timestamp.field",), f"timestamp.extractor {told}, which takes {taken}; RecordField reads the field"
    else:
        yield _OF_TIME, f"{which} lays no folders out by time (TimeBasedPartitioner does)"
        if verbatim(job.written(block, "connector.class")).startswith(_ROTATED_BY_RECORDS):
            closes = "so no file is closed by it (rotate.schedule.interval.ms closes by the clock)"
            yield ("rotate.interval.ms",), f"{which} knows no time of a record, {closes}"
    if partitioner != "Field":
        yield ("partition.field.name",), f"{which} looks into no field (FieldPartitioner does)"
