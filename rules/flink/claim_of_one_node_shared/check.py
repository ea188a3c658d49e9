"""A claim that the pods of one node alone may mount, in the JobManager and in TaskManagers."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Usage
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    mounted = job.usages("claim-mounted")
    for claim in job.usages("claim-of-one-node"):
        users = [usage for usage in mounted if _uses(usage, claim)]
        if len({role for usage in users for role in usage.detail.rpartition("/")[2].split()}) == 2:
            message = (
                "pods of one node alone may mount this claim, and the JobManager and the TaskManagers share it: one that is placed on another node"
                " waits in ContainerCreating (Multi-Attach error)"
            )
            yield context.finding(message, claim.place, [(usage.place, "mounted here") for usage in users[:4]])


def _uses(usage: Usage, claim: Usage) -> bool:
    """Whether they are of one namespace, as far as the files tell: of one folder, or of folders side by side."""
    (space, _, name), (other, called, _) = claim.detail.partition("/"), usage.detail.split("/")
    one, two = folder_of(claim.place.path), folder_of(usage.place.path)
    near = one == two or (bool(one and two) and folder_of(one) == folder_of(two))
    return name == called and near and (space == other or not (space and other))
