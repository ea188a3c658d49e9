"""Results of async functions that are completed only when nothing goes wrong."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind == "future-failure-narrow":
            message = f"whatever is thrown here and is no {oddity.subject} ends in the executor, and nothing completes the future: the record keeps its slot until the operator's timeout"
            yield context.finding(message, oddity, confidence="low")
        if oddity.kind != "future-failure-unseen":
            continue
        told = oddity.subject not in ("asyncInvoke", "timeout")  # a callback's own method for failures
        when = (
            "this leaves the future of the record open"
            if told
            else "when the call fails this is skipped, and nothing else completes the future"
        )
        skipped = f"{when}: the record keeps its slot until the operator's timeout"
        if oddity.detail:
            yield context.finding(f"{skipped}, where timeout() answers without the cause", oddity, confidence="low")
        else:
            yield context.finding(f"{skipped}, and the job then fails without the cause", oddity)
