"""Checkpointing that the program turns on, with no directory in the code, on the command line or in the cluster's configuration."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding, Place

_NATIVE = ("rocksdb", "forst", "embeddedrocksdb")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """What a conf file turns on by itself is judged in that file: checkpoints-in-jobmanager-memory."""
    on = questions.interval(job)
    if on is None or on.block not in {block.id for block in questions.code_blocks(job)} or questions.managed(job) or questions.batch(job):
        return
    if job.origins("flink", questions.CHECKPOINT_DIR) or not questions.only_config_unseen(job, handed_on=True):
        return
    storage = job.effective_anywhere("flink", questions.STORAGE)
    if storage is not None and (not storage.known or storage.text.strip().lower() != "jobmanager"):
        return
    backend = next(iter(job.origins("flink", questions.BACKEND)), None)
    kind = backend.text.strip().lower().rpartition(".")[2] if backend is not None and backend.known else ""
    heap = "checkpoints live on the JobManager's heap (at most 5 MiB for each state) and are gone when it restarts"
    if kind.startswith(_NATIVE):
        message = f"{heap}: {kind} keeps working state on the TaskManager's disk and makes nothing durable, no checkpoint directory is set in the code, {questions.where(job)}"
    else:
        message = f"{heap}: no checkpoint directory is set in the code, {questions.where(job)}"
    related: list[tuple[Setting | Place, str]] = (
        [(backend, "no durable storage")] if backend is not None and kind.startswith(_NATIVE) else []
    )
    kept = next(iter(job.origins("flink", questions.RETENTION)), None)
    if kept is not None and kept.known and kept.text.strip().upper() == "RETAIN_ON_CANCELLATION":
        related.append((kept, "what is kept is kept there"))
    related += [*questions.submitted(job), *questions.looked(job, on.place())]
    yield context.finding(message, on, related, confidence=questions.surely_absent(job))
