"""`delete.handling.mode` and `drop.tombstones` of Debezium's ExtractNewRecordState, against a sink that deletes by tombstones."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text, verbatim
from shoal.templates.kafka import side_of

_TYPE = "io.debezium.transforms.ExtractNewRecordState"
# How sinks are told to delete the row of a record that has no value.
_DELETES = (("delete.enabled", "true"), ("behavior.on.null.values", "delete"), ("deleteEnabled", "true"))


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Both options must stand there: what comes without them differs between releases of Debezium."""
    for block in job.select("kafka-connect", ("connector",)):
        deletes = _deletes(job, block)
        if block.open or deletes is None or side_of(verbatim(job.get(block, "connector.class"))) == "source":
            continue
        for name in verbatim(job.written(block, "transforms")).split(","):
            start = f"transforms.{name.strip()}."
            mode, dropped = job.written(block, f"{start}delete.handling.mode"), job.written(block, f"{start}drop.tombstones")
            if verbatim(job.written(block, f"{start}type")) != _TYPE or mode is None or text(mode) not in ("rewrite", "drop"):
                continue
            if dropped is not None and text(dropped) == "true":
                becomes = "a record with __deleted=true" if text(mode) == "rewrite" else "nothing"
                message = f"rows are never deleted: {text(mode)} makes {becomes} of a delete, and drop.tombstones takes away what {deletes.key} waits for"
                yield context.finding(message, mode, [(deletes, "what waits for them"), (dropped, "what drops them")])
            elif text(mode) == "rewrite" and dropped is not None and dropped.known:
                message = f"a delete is written as a record with __deleted=true first, for which the target needs such a column, and deleted by {deletes.key} then"
                yield context.finding(message, mode, [(deletes, "what deletes it")], confidence="low")


def _deletes(job: Job, block: Block) -> Setting | None:
    return next((found for key, value in _DELETES if (found := job.written(block, key)) is not None and text(found) == value), None)
