"""What Confluent's storage sinks ask for when a task starts (TimeBasedPartitioner.configure, and the schedule of rotations)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import storage
from shoal.templates.common import verbatim

# Of these the partitioners by time have no default that they take; by day and by hour the first two are their own.
_NEEDS = ("path.format", "partition.duration.ms", "locale", "timezone")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block, partitioner in storage.sinks(job):
        if block.open:
            continue
        named = job.written(block, "partitioner.class")
        if partitioner in storage.BY_TIME and named is not None:
            needed = _NEEDS if partitioner == "TimeBased" else _NEEDS[2:]
            missing = [key for key in needed if _is_missing(job.written(block, key))]
            if missing:
                have = "have" if len(missing) > 1 else "has"
                message = f"the connector's tasks fail when they start: {partitioner}Partitioner asks for {' and '.join(missing)}, which {have} no default that it takes"
                yield context.finding(message, named)
                continue
        schedule = job.written(block, "rotate.schedule.interval.ms")
        text = verbatim(schedule)
        if schedule is not None and text.isdecimal() and text.strip("0") and _is_missing(job.written(block, "timezone")):
            message = "the connector is refused, or fails when it starts: rotate.schedule.interval.ms counts from midnight, and timezone does not say of where"
            yield context.finding(message, schedule)


def _is_missing(setting: Setting | None) -> bool:
    return setting is None or (setting.known and verbatim(setting) in ("", "-1"))
