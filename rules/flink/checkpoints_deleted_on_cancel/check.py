"""Checkpoints that a cancel deletes, where nothing else keeps a point to recover from."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup

_DELETING = ("DELETE_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS")


def check(job: Job, context: Context) -> Iterator[Finding]:
    if questions.managed(job):
        return
    point = next(iter(job.origins("flink", flink.SAVEPOINT_DIR)), None)
    yield from _by_code(job, context, point)
    for block in flink.masters(job, job.select("flink", ("cluster", "deployment"))):
        if flink.by_operator(block) or block.open:
            continue
        directory = lookup(job, block, flink.CHECKPOINT_DIR)
        if directory is None or not directory.known or flink.local_path(directory.text) or flink.interval(job, block) is None:
            continue
        retention = lookup(job, block, questions.RETENTION)
        if retention is None:
            if any(other.block != block.id for other in job.origins("flink", questions.RETENTION)):
                continue
            if context.options["when-unset"]:
                # who has a place for savepoints may take one first; and a compose file is seldom where a job must not be lost
                local = point is not None or any(other.form == "compose" for other in questions.config_blocks(job))
                message = "cancelling the job deletes these checkpoints: no retention is set, and by default none is kept"
                yield context.finding(message, directory, confidence="low" if local else "")
        elif retention.known and retention.text.strip().upper() in _DELETING and point is None:
            said = retention.text.strip()
            message = f"cancelling the job deletes its last checkpoint ({said}), and no savepoint directory is set to go back to"
            yield context.finding(message, retention, [directory], severity="warning")


def _by_code(job: Job, context: Context, point: Setting | None) -> Iterator[Finding]:
    """A program that asks for the deletion, of checkpoints that are to last, in a job without a directory for savepoints."""
    retention = next(iter(job.origins("flink", questions.RETENTION)), None)
    directory = next(iter(job.origins("flink", flink.CHECKPOINT_DIR)), None)
    if retention is None or retention.block not in {block.id for block in questions.code_blocks(job)} or point is not None:
        return
    if directory is None or (directory.known and flink.local_path(directory.text)) or questions.interval(job) is None:
        return
    if questions.hidden(job) or any(flink.by_operator(block) for block in questions.config_blocks(job)):
        return
    if retention.known and retention.text.strip().upper() in _DELETING:
        message = (
            f"cancelling the job deletes its last checkpoint ({retention.text.strip()}), and no savepoint directory is set to go back to"
        )
        # a directory that comes from elsewhere may be a local one
        sure = "" if directory.known else "low"
        yield context.finding(message, retention, [directory], severity="warning", confidence=sure)
