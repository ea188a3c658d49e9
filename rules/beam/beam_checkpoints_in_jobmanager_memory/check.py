"""A streaming pipeline for Flink that checkpoints, with no directory in its options or in the cluster's configuration."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding, Place
from shoal.templates import beam


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Beam hands Flink a directory with `state_backend` alone; what a conf file turns on is judged there: checkpoints-in-jobmanager-memory."""
    if questions.managed(job) or job.origins("flink", questions.CHECKPOINT_DIR) or not questions.only_config_unseen(job):
        return
    storage = job.effective_anywhere("flink", questions.STORAGE)
    if storage is not None and (not storage.known or storage.text.strip().lower() != "jobmanager"):
        return
    for block in job.select("beam", ("pipeline",)):
        interval, value = beam.number(job, block, "checkpointing_interval")
        if interval is None or value is None or value <= 0 or block.open or not beam.on_flink(job, block, portable=False):
            continue
        if not beam.streams(job, block) or any(beam.option(job, block, f"state_backend{end}") for end in ("", "_factory")):
            continue
        message = (
            "checkpoints live on the JobManager's heap (at most 5 MiB for each state) and are gone when it restarts: "
            f"no checkpoint directory is set in the options, {questions.where(job)}"
        )
        path = beam.option(job, block, "state_backend_storage_path")
        related: list[tuple[Setting | Place, str]] = [(path, "read only where state_backend is set as well")] if path is not None else []
        related += questions.looked(job, interval.place())
        yield context.finding(message, interval, related, confidence=questions.surely_absent(job))
