"""Directories and quorums of a high availability that nobody switched on."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup

_KEYS = (flink.HA_DIR, "high-availability.zookeeper.quorum", "high-availability.zookeeper.path.root")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment")):
        if block.open or lookup(job, block, flink.HA_TYPE) is not None:
            continue
        settings = [setting for key in _KEYS if (setting := job.get(block, key))]
        if settings:
            message = f"{settings[0].key} has no effect: high-availability.type is not set, and its default is NONE, so a restarted JobManager forgets its jobs"
            yield context.finding(message, settings[0], settings[1:], confidence="medium" if flink.by_operator(block) else "")
