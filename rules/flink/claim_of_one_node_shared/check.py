"""A claim that the pods of one node alone may mount, in the JobManager and in TaskManagers."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs.namespaces import meet
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    mounted = job.usages("claim-mounted")
    for claim in job.usages("claim-of-one-node"):
        users = [usage for usage in mounted if meet(usage, claim)]
        if len({role for usage in users for role in usage.detail.rpartition("/")[2].split()}) == 2:
            message = (
                "pods of one node alone may mount this claim, and the JobManager and the TaskManagers share it: one that is placed on another node"
                " waits in ContainerCreating (Multi-Attach error)"
            )
            yield context.finding(message, claim.place, [(usage.place, "mounted here") for usage in users[:4]])
