"""The startup mode `group-offsets` with a group but without `properties.auto.offset.reset`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A source in code that starts at committed offsets without a strategy has the strategy `none`."""
    version = job.version("flink")
    older = version is not None and version.below("1.14")
    for table in tables.readers(job, "kafka"):
        mode, group = tables.option(job, table, tables.STARTUP), tables.option(job, table, tables.GROUP)
        reset = tables.option(job, table, tables.RESET)
        implied = (
            reset is not None
            and mode is not None
            and table.role == "source"
            and reset.value_span == mode.value_span
            and tables.text(reset) == "none"
        )
        # the consumer before KafkaSource, which also ran tables before 1.14, leaves the strategy to Kafka's client, which has one
        if table.trait("legacy") or (table.role == "table" and older):
            continue
        if table.open or group is None or (reset and not implied) or (table.role == "table" and job.written(table, "connector") is None):
            continue
        unsaid = "properties.auto.offset.reset does not say" if table.role == "table" else "nothing says"
        message = f"the first start fails with NoOffsetForPartitionException, and so does every start after the offsets have expired: the {table.role} begins at its group's offsets and {unsaid} what to do when there are none"
        if mode is not None and tables.text(mode) == "group-offsets":
            yield context.finding(message, mode, [(group, "the group")])
        elif mode is None and table.role == "table" and table.trait("source") == "true":
            yield context.finding(message, group, confidence="medium")
