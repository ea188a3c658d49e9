"""TaskManagers of compose files that look for the JobManager in their own container: the entry point of Flink's image puts the container's hostname
into the conf where JOB_MANAGER_RPC_ADDRESS is not set (docker-entrypoint.sh, 1.11 to 2.2)."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import programs
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    changed = {(usage.detail, posixpath.dirname(usage.place.path)) for usage in job.usages("jobmanager-told")}
    for oddity in job.oddities:
        if oddity.kind != "taskmanager-untold" or (oddity.subject, posixpath.dirname(oddity.place.path)) in changed:
            continue
        master, image, overridden = json.loads(oddity.detail)
        if image and not programs.stock_flink(job, programs.below(oddity.place, image), overridden):
            continue
        message = (
            f"nothing tells {oddity.subject} where the JobManager is, so it looks for it under its own hostname and never registers: the cluster has no slots, "
            f"and jobs wait for them until they fail (JOB_MANAGER_RPC_ADDRESS={master}, or jobmanager.rpc.address in FLINK_PROPERTIES)"
        )
        yield context.finding(message, oddity, related=oddity.related)
