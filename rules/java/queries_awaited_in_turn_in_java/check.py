"""`first.awaitTermination(); second.awaitTermination();`, or a wait for one query alone of several."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_INSTEAD = "use spark.streams().awaitAnyTermination()"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "awaited-in-turn":
            message = f"this query is awaited only after the one above has ended: if it fails meanwhile, nobody sees it; {_INSTEAD}"
            yield context.finding(message, oddity, oddity.related)
        elif oddity.kind == "awaited-alone":
            message = f"only this query is awaited: if the other one fails, nobody sees it; {_INSTEAD}"
            yield context.finding(message, oddity, oddity.related, confidence="low" if oddity.subject in spark.SHOWN else "medium")
