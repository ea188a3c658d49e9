"""Jobs with checkpoints that no upgrade ever uses."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup

_RUNS = ("spec.job.jarURI", "spec.job.entryClass", "spec.job.parallelism")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("deployment", "sessionjob")):
        if not flink.by_operator(block) or not flink.runs_job(job, block):
            continue
        mode = job.get(block, "spec.job.upgradeMode")
        if mode is not None and (not mode.known or mode.text.strip().lower() != "stateless"):
            continue
        cluster = flink.session_cluster(job, block) if block.role == "sessionjob" else None
        meant = _meant(job, block) or (flink.interval(job, cluster) if cluster is not None else None)
        if meant is None:
            continue
        start = "every change of this resource restarts the job from empty state"
        taken = flink.interval(job, block) or (flink.interval(job, cluster) if cluster is not None else None)
        sure = "" if taken is not None else "low"  # a directory alone takes no checkpoint: the code that may ask for them is not seen
        if mode is not None:
            has = "has a directory for its state" if sure else "checkpoints"
            message = f"{start}: the upgrade mode is `stateless`, although it {has}"
            yield context.finding(message, mode, [(meant, "state that is thrown away")], confidence=sure)
        else:
            at = meant if meant.place().path == block.place.path else block
            related: list[tuple[Setting, str]] = [] if at is meant else [(meant, "state that is thrown away")]
            runs = next((found for key in _RUNS if (found := job.get(block, key)) is not None), None)
            related += [(runs, "the job")] if runs is not None else []
            yield context.finding(f"{start}: no spec.job.upgradeMode is set, and the default is `stateless`", at, related, confidence=sure)


def _meant(job: Job, block: Block) -> Setting | None:
    """What shows that the job has state to keep, in the resource or in the program that it runs."""
    found = flink.interval(job, block) or lookup(job, block, flink.CHECKPOINT_DIR) or lookup(job, block, flink.SAVEPOINT_DIR)
    # what a conf file of another deployment says is not this one's
    return found if found is not None and job.blocks[found.block].role != "cluster" else None
