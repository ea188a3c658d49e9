"""Checkpoints that die with the JobManager."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in flink.masters(job, job.select("flink", ("cluster", "deployment"))):
        storage = lookup(job, block, flink.STORAGE)
        directory = lookup(job, block, flink.CHECKPOINT_DIR)
        if block.open or directory is not None or (storage is not None and not storage.known):
            continue
        if storage is not None:
            if storage.text.strip().lower() == "jobmanager":
                message = "checkpoints live on the JobManager's heap, at most 5 MiB for each state, and are gone when it restarts: the storage is `jobmanager`"
                yield context.finding(message, storage, confidence="high")
            continue  # other storages need a directory: filesystem-storage-without-dir
        backend = lookup(job, block, flink.BACKEND)
        meant = flink.intent(job, block)
        if meant is not None and meant.path != block.place.path:
            meant = None  # what the code turns on is judged there: missing-durable-checkpoint-storage
        native = backend if backend is not None and backend.text.strip().lower() in ("rocksdb", "forst") else None
        if native is not None:
            message = (
                f"{native.text.strip()} keeps working state on the TaskManager's disk and makes nothing durable: without a checkpoint directory"
                " checkpoints go to the JobManager's heap (at most 5 MiB for each state) and are gone when it restarts"
            )
            # who turns checkpoints on elsewhere, as in a program that is not seen here, may name the directory there
            whole = flink.interval(job, block) is not None
            yield context.finding(message, native, [meant] if meant else [], confidence="medium" if whole else "low")
        elif meant is not None:
            message = "no checkpoint directory is set: checkpoints go to the JobManager's heap (at most 5 MiB for each state) and are gone when it restarts"
            certain = flink.interval(job, block) is not None
            yield context.finding(message, meant, confidence="medium" if certain else "low")
    # A job says so in code (MemoryStateBackend, JobManagerCheckpointStorage), a script in a SET, a command by -D.
    for block in job.select("flink", ("job", "session", "command")):
        storage = job.get(block, flink.STORAGE)
        if storage is not None and storage.known and storage.text.strip().lower() == "jobmanager":
            message = "checkpoints live on the JobManager's heap, at most 5 MiB for each state, and are gone when it restarts"
            yield context.finding(message, storage, confidence="high")
