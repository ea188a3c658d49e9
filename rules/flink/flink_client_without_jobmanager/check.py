"""`flink run` in a container that asks itself for the JobManager (run on 1.20.1 with either conf: Connection refused)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import programs
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity, master, overridden in programs.untold(job, "client-untold"):
        asks = "localhost" if overridden else "its own hostname"
        message = (
            f"nothing tells {oddity.subject} where the JobManager is, so flink run looks for it at {asks}, in its own container: it is refused, and no job is submitted "
            f"(-m {master or 'HOST'}:8081, or JOB_MANAGER_RPC_ADDRESS{'' if not overridden else ' with the entry point of the image'})"
        )
        yield context.finding(message, oddity, related=oddity.related, confidence="" if master else "low")
