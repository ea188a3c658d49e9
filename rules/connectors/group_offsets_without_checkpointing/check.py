"""`scan.startup.mode = group-offsets` with checkpointing off: nothing commits offsets for the group."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Place
from shoal.templates import tables

_AUTO_COMMIT = "properties.enable.auto.commit"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """`KafkaSourceBuilder` sets `enable.auto.commit` to false where the program does not set it, and `KafkaSource` commits when a checkpoint
    completes. `FlinkKafkaConsumer`, which also ran tables before 1.14, leaves the client's auto-commit on.

    Without a strategy for a missing offset the job does not start, which another rule says.
    """
    if tables.checkpoints(job) or tables.is_batch(job):
        return
    conf, version = tables.conf(job), job.version("flink")
    for table in tables.readers(job, "kafka"):
        mode, reset = tables.option(job, table, tables.STARTUP), tables.option(job, table, tables.RESET)
        # `group-offsets` is what a table starts at that does not say; one in code starts at the earliest offset then
        by_default = mode is None and table.role == "table" and table.trait("source") == "true"
        if not (by_default or (mode is not None and tables.text(mode) == "group-offsets")) or reset is None or tables.text(reset) == "none":
            continue
        auto, bounded = tables.option(job, table, _AUTO_COMMIT), tables.option(job, table, "scan.bounded.mode")
        if table.open or table.trait("legacy") or (table.role == "table" and version is not None and version.below("1.14")):
            continue
        if bounded is not None or (auto is not None and tables.text(auto) != "false"):
            continue
        strategy = f"auto.offset.reset={tables.text(reset)}" if reset.known else "auto.offset.reset"
        message = f"the group has no offsets to start from: Flink commits them with its checkpoints, of which there are none, and its source switches the client's auto-commit off, so that each start begins as {strategy} says"
        looked: list[tuple[Place, str]] = [(conf.place, "no execution.checkpointing.interval here")] if conf else []
        yield context.finding(message, mode or reset, looked, confidence="" if conf and mode is not None else "low")
