"""`System.exit` in a program whose main() a JobManager may run."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding, Place

_INTERCEPT = "cluster.intercept-user-system-exit"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Flink lets an exit through unless it is told to log it or to throw."""
    exits = [oddity for oddity in job.oddities if oddity.kind == "main-ends-process"]
    if not exits or any(not found.known or found.text.strip().upper() != "DISABLED" for found in job.origins("flink", _INTERCEPT)):
        return
    runs = _in_jobmanager(job)
    for oddity in exits:
        if runs is not None:
            message = "the JobManager runs this main(), so this ends its process, and what else runs on it, in place of an error message: throw an exception"
            yield context.finding(message, oddity, [runs], confidence="medium")
        else:
            message = "where the JobManager runs main() (submitted through its web page or REST interface, or as an application), this ends its process, with all jobs that it runs: throw an exception"
            yield context.finding(message, oddity)


def _in_jobmanager(job: Job) -> tuple[Place, str] | None:
    """What says that the program is started within the JobManager, as the Kubernetes operator does."""
    for block in job.select("flink", ("sessionjob", "deployment")):
        jar = job.get(block, "spec.job.jarURI")
        if jar is not None:
            return jar.place(), "the operator has the JobManager run it"
    return None
