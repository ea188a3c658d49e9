"""`execute_sql("SET …")` and `execute_sql("CREATE …; INSERT …")`: TableEnvironmentImpl of 1.20.1 and 2.0.1 was asked."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "client-statement":
            instead = "a StatementSet, or EXECUTE STATEMENT SET" if oddity.subject.startswith("BEGIN") else "get_config().set(…)"
            message = f"the program stops here with a TableException: {oddity.subject} is a command of the SQL client, and no table environment knows it ({instead})"
            yield context.finding(message, oddity)
        elif oddity.kind == "several-statements":
            message = "the program stops here with an IllegalArgumentException: a table environment takes one statement in a call, and another one begins here"
            yield context.finding(message, oddity)
