"""A changelog that is kept in memory, or nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates.common import lookup


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment", "session", "job")):
        enabled = job.get(block, "state.changelog.enabled")
        if block.open or enabled is None or enabled.text.strip().lower() != "true":
            continue
        storage = lookup(job, block, "state.changelog.storage")
        if storage is None or (storage.known and storage.text.strip().lower() == "memory"):
            message = "the changelog stays on the TaskManagers' heap: its storage is `memory`, the default, which is there for tests"
            # a program leaves the storage to the cluster's configuration
            sure = questions.surely_absent(job) if block.role in ("session", "job") and storage is None else ""
            yield context.finding(message, storage or enabled, [enabled] if storage else [], confidence=sure)
        elif (
            storage.known
            and storage.text.strip().lower() == "filesystem"
            and lookup(job, block, "state.changelog.dstl.dfs.base-path") is None
        ):
            yield context.finding(
                "the changelog cannot be written: state.changelog.dstl.dfs.base-path does not say where to", storage, [enabled]
            )
