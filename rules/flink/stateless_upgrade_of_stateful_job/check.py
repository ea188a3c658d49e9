"""Jobs with checkpoints that no upgrade ever uses."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("deployment", "sessionjob")):
        if not flink.by_operator(block) or not flink.runs_job(job, block):
            continue
        mode = lookup(job, block, "spec.job.upgradeMode")
        if mode is not None and (not mode.known or mode.text.strip().lower() != "stateless"):
            continue
        meant = flink.interval(job, block) or lookup(job, block, flink.CHECKPOINT_DIR) or lookup(job, block, flink.SAVEPOINT_DIR)
        if meant is None:
            continue
        start = "every change of this resource restarts the job from empty state"
        if mode is not None:
            yield context.finding(
                f"{start}: the upgrade mode is `stateless`, although it checkpoints", mode, [(meant, "state that is thrown away")]
            )
        else:
            yield context.finding(f"{start}: no spec.job.upgradeMode is set, and the default is `stateless`", meant)
