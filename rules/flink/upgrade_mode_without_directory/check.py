"""What the operator checks before it touches a deployment."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job, spellings
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("deployment", "sessionjob")):
        mode = job.get(block, "spec.job.upgradeMode")
        if not flink.by_operator(block) or block.open or mode is None or not mode.known:
            continue
        blocks = [block]
        if block.role == "sessionjob":
            cluster = flink.session_cluster(job, block)
            if cluster is None or cluster.open:
                continue
            blocks.append(cluster)
        chosen = mode.text.strip().lower()
        needed = {"savepoint": (flink.CHECKPOINT_DIR, flink.SAVEPOINT_DIR), "last-state": (flink.CHECKPOINT_DIR,)}.get(chosen, ())
        missing = [key for key in needed if all(not _told(job, one, key) for one in blocks)]
        if missing:
            what, where = ("deployment", "no line here sets") if len(blocks) == 1 else ("job", "neither it nor its session cluster sets")
            message = f"the operator refuses this {what}: `{chosen}` needs {' and '.join(_name(job, block, key) for key in missing)}, which {where}"
            yield context.finding(message, mode, [(one, "the session cluster") for one in blocks[1:]])


def _name(job: Job, block: Block, key: str) -> str:
    """An option as the deployment's Flink reads it; both its names where the version is not known."""
    version, before = job.version("flink", block), spellings("flink", key)[1]
    if version is None:
        return f"{key} (before 1.20 {before})"
    return key if version.at_least("1.20") else before


def _told(job: Job, block: Block, key: str) -> bool:
    """Whether the operator sees an option: it looks at the resource and at its own defaults, not into the program."""
    found = lookup(job, block, key)
    return found is not None and job.blocks[found.block].form not in ("python", "java")
