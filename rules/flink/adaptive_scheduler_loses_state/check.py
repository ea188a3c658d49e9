"""The adaptive scheduler before 1.18.2, whose restarts a crash turns into a cancellation (FLINK-34518)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import fits, lookup, text

_ASKED_FOR = {"jobmanager.scheduler": "adaptive", "scheduler-mode": "reactive"}
_FAULTY = ">=1.13,<1.18.2"  # 1.17.3, which would have the fix too, was never released


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in flink.masters(job, job.select("flink", ("cluster", "deployment", "session"))):
        version = job.version("flink", block)
        if version is None or not fits(version, _FAULTY):
            continue
        for key, value in _ASKED_FOR.items():
            found = lookup(job, block, key)
            if found is not None and text(found) == value and flink.ha_mode(job, block) not in ("none", "?"):
                message = f"a JobManager that stops while the job is being restarted has its checkpoints forgotten, and the next one starts from nothing: FLINK-34518 in Flink {version.text}, fixed in 1.18.2 and 1.19.0"
                yield context.finding(message, found, [(version.source, "the version")])
