"""`BigQueryIO.write` from a stream, row by row, as a statement of its own: nobody takes the rows that are refused."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_FATES = {
    "by default": "a row that BigQuery refuses (it does not fit the schema) is retried for ever, and holds up those behind it: alwaysRetry is the default; use retryTransientErrors and write getFailedInserts elsewhere",
    "left out": "rows that BigQuery refuses vanish: {method} gives them out as failed ones, and nobody takes what the write gives",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """That rows are retried may be meant: low confidence. A policy that says so is let be."""
    for oddity in job.oddities:
        if oddity.kind == "rows-refused":
            message = _FATES[oddity.detail].format(method=oddity.subject)
            yield context.finding(message, oddity, confidence="low" if oddity.detail == "by default" else "")
