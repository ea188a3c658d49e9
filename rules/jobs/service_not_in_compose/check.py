"""`depends_on` with a name that no service of a compose file has."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Where a service of the file is called nearly so, one of the two is mistaken; what is called in another way may be in a file that is given together with this one."""
    for oddity in job.oddities:
        if oddity.kind == "service-not-in-compose":
            message = f"docker compose refuses the file: {oddity.detail} depends on {oddity.subject}, and there is no such service, so that nothing of it starts"
            yield context.finding(message, oddity, related=oddity.related, confidence="" if oddity.related else "low")
