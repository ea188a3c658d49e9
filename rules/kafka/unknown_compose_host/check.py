"""`schema-registry:8081` in the environment of a service, where no service, container or alias of the project's compose files is called that."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Files of one project may be given to `docker compose` together, and then know each other's services."""
    known = {name for usage in job.usages("compose-hosts") for name in usage.detail.split()}
    said: set[tuple[str, str, str]] = set()
    for usage in job.usages("asks-unknown-host"):
        host = usage.detail.partition(":")[0]
        at = (usage.place.path, usage.place.label, host)
        if host in known or at in said:
            continue
        said.add(at)
        message = f"no service is called {host}, so {usage.place.label} finds nobody there: names on the network of a compose file are those of its services, containers and aliases"
        yield context.finding(message, usage.place._replace(label=""))
