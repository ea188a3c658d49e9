"""`flink run` without `-d` for a job that never ends, and another `flink run` further down in the same script."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only where the program is in the project, and waits: `execute_sql` alone hands the job over and goes on."""
    told: set[str] = set()
    for oddity in job.oddities:
        if oddity.kind != "run-waits" or oddity.place.path in told:
            continue  # of the runs of one script the first one says it all
        program = _program(job, oddity.subject)
        seen = job.in_file(program) if program else None
        if seen is None or tables.is_batch(seen) or seen.usages("insert-not-awaited"):
            continue
        endless = next((source for source in tables.sources(seen) if tables.never_ends(seen, source)), None)
        # of a table it is not seen whether anybody waits for what is made of it
        if endless is None or (endless.role != "source" and not seen.statements("insert")):
            continue
        told.add(oddity.place.path)
        message = (
            f"what comes behind this is never started: flink run waits until {oddity.subject.rpartition('/')[2]} ends, which reads a stream and does not; "
            "submit it with -d"
        )
        yield context.finding(message, oddity, [*oddity.related, (endless.place, "never ends")])


def _program(job: Job, subject: str) -> str:
    """The file of the project that a run starts: a script by its name, a class by its package; empty for none or several."""
    wanted = subject.rpartition("/")[2] if subject.endswith(".py") else subject.replace(".", "/") + ".java"
    found = [path for path in job.paths if f"/{path}".endswith(f"/{wanted}")]
    return found[0] if len(found) == 1 else ""
