"""What the operator checks before it touches a deployment."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("deployment",)):
        mode = lookup(job, block, "spec.job.upgradeMode")
        if not flink.by_operator(block) or block.open or mode is None or not mode.known:
            continue
        chosen = mode.text.strip().lower()
        missing = []
        if chosen in ("savepoint", "last-state") and lookup(job, block, flink.CHECKPOINT_DIR) is None:
            missing.append(flink.CHECKPOINT_DIR)
        if chosen == "savepoint" and lookup(job, block, flink.SAVEPOINT_DIR) is None:
            missing.append(flink.SAVEPOINT_DIR)
        if missing:
            yield context.finding(
                f"the operator refuses this deployment: `{chosen}` needs {' and '.join(missing)}, which no line here sets", mode
            )
