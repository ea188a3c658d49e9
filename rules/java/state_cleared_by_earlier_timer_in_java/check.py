"""Each record of a key sets a timer of its own, none is deleted, and the first that fires clears what later records count on."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    for oddity in job.oddities:
        if oddity.kind in ("cleared-early-clock", "cleared-early-record"):
            message = (
                f"clears what records after the one that set this timer have kept in {oddity.subject}: each record sets a timer and none is deleted, so the state goes "
                "a fixed time after the first record, not after the last; keep the time of the last timer in state, and compare it with the timestamp"
            )
            # a time that comes with the record may be the same for all of a key
            yield context.finding(message, oddity, related=oddity.related, confidence="" if oddity.kind.endswith("clock") else "low")
