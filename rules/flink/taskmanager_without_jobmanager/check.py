"""TaskManagers of compose files that look for the JobManager in their own container: the entry point of Flink's image puts the container's hostname
into the conf where JOB_MANAGER_RPC_ADDRESS is not set (docker-entrypoint.sh, 1.11 to 2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import programs
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity, master, _ in programs.untold(job, "taskmanager-untold"):
        message = (
            f"nothing tells {oddity.subject} where the JobManager is, so it looks for it under its own hostname and never registers: the cluster has no slots, "
            f"and jobs wait for them until they fail (JOB_MANAGER_RPC_ADDRESS={master}, or jobmanager.rpc.address in FLINK_PROPERTIES)"
        )
        yield context.finding(message, oddity, related=oddity.related)
