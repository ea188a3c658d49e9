"""Checkpoints that a cancel deletes, where nothing else keeps a point to recover from."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup

_RETENTION = "execution.checkpointing.externalized-checkpoint-retention"
_DELETING = ("DELETE_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in flink.masters(job, job.select("flink", ("cluster", "deployment"))):
        if flink.by_operator(block) or block.open:
            continue
        directory = lookup(job, block, flink.CHECKPOINT_DIR)
        if directory is None or not directory.known or flink.local_path(directory.text) or flink.interval(job, block) is None:
            continue
        retention = lookup(job, block, _RETENTION)
        if retention is None:
            if context.options["when-unset"]:
                yield context.finding(
                    "cancelling the job deletes these checkpoints: no retention is set, and by default none is kept", directory
                )
        elif retention.known and retention.text.strip().upper() in _DELETING and lookup(job, block, flink.SAVEPOINT_DIR) is None:
            said = retention.text.strip()
            message = f"cancelling the job deletes its last checkpoint ({said}), and no savepoint directory is set to go back to"
            yield context.finding(message, retention, [directory], severity="warning")
