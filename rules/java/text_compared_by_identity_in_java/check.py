"""`op == "d"` in Java: sure where the other text was made by a reader, less so where it may come from the program's own."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "text-by-identity":
            always = "never" if oddity.subject == "==" else "always"
            message = (
                f"this is {always} so for a text that was read: {oddity.subject} asks whether both are one object, and what a record or an option holds is another one "
                "with the same letters, so that the wrong branch is taken for every record (equals)"
            )
            yield context.finding(message, oddity, confidence="" if oddity.detail else "low")
