"""Checkpoint storage `filesystem` for which no directory is named: in a cluster's configuration, or by the program or the SQL script itself."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates.common import lookup, text

_STORAGE, _DIR = "execution.checkpointing.storage", "execution.checkpointing.dir"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment")):
        if not block.open:
            yield from _judged(job, context, block, "")
    for block in questions.code_blocks(job):
        # a cluster of which nothing is known may name the directory
        if not block.open and not job.anywhere("flink", _DIR) and questions.interval(job) is not None and not questions.managed(job):
            yield from _judged(job, context, block, questions.surely_absent(job))


def _judged(job: Job, context: Context, block: Block, sure: str) -> Iterator[Finding]:
    storage = lookup(job, block, _STORAGE)
    if storage is None or text(storage) != "filesystem" or lookup(job, block, _DIR):
        return
    of_program = bool(sure)
    if of_program and storage.block != block.id:
        return  # told where it stands
    message = f"every job that checkpoints fails at its start: {storage.key} is `filesystem`, and no checkpoint directory is set (execution.checkpointing.dir, before 1.20 state.checkpoints.dir)"
    if of_program:
        message = f"the job fails at its start: {storage.key} is `filesystem`, and no checkpoint directory is set in the code, {questions.where(job)} (execution.checkpointing.dir, before 1.20 state.checkpoints.dir)"
    yield context.finding(message, storage, confidence=sure)
