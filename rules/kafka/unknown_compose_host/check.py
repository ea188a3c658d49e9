"""`schema-registry:8081` in the environment of a service, where no service, container or alias of the project's compose files, or none on the service's networks, is called that."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding

# Of files that are laid over others, which may stand elsewhere, and have most of the services.
_OVERRIDE = "override"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Files of one project may be given to `docker compose` together, and then know each other's services."""
    known = {name for usage in job.usages("compose-hosts") for name in usage.detail.split()}
    said: set[tuple[str, str, str]] = set()
    whole = {folder_of(usage.place.path) for usage in job.usages("compose-hosts") if _OVERRIDE not in usage.place.path.rpartition("/")[2]}
    for usage in job.usages("asks-unknown-host"):
        host = usage.detail.partition(":")[0]
        at = (usage.place.path, usage.place.label, host)
        alone = _OVERRIDE in usage.place.path.rpartition("/")[2] and folder_of(usage.place.path) not in whole
        if host in known or at in said or alone:
            continue
        said.add(at)
        message = f"no service is called {host}, so {usage.place.label} finds nobody there: names on the network of a compose file are those of its services, containers and aliases"
        yield context.finding(message, usage.place._replace(label=""))
    yield from _across_networks(job, context, said)


def _across_networks(job: Job, context: Context, said: set[tuple[str, str, str]]) -> Iterator[Finding]:
    """Another file of the project may put one of the two services on the other's network."""
    named = [(usage.place.path, set(usage.detail.split())) for usage in job.usages("compose-hosts")]
    for usage in job.usages("asks-across-networks"):
        host = usage.detail.partition(":")[0]
        at = (usage.place.path, usage.place.label, host)
        if at in said or any(path != usage.place.path and names & {host, usage.place.label} for path, names in named):
            continue
        said.add(at)
        message = f"{usage.place.label} is on no network of {host}, so this name means nothing to it: a service that names networks has left the default one"
        yield context.finding(message, usage.place._replace(label=""))
