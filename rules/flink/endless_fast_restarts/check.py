"""Restart loops that neither end nor slow down."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.values import NANOS_PER_SECOND, Bad, Duration
from shoal.values.flink import parse_duration

_MINUTE = Duration(60 * NANOS_PER_SECOND)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink"):
        found = flink.fixed_delay(job, block)
        if found is None or found.times < context.options["attempts"] or found.pause >= _MINUTE:
            continue
        count, pause = found.times, found.pause
        origin = "" if found.delay is not None else ", the default delay"
        rhythm = f"every {pause}" if pause.nanos else "without a pause"
        message = (
            f"a failure that does not go away restarts the job {rhythm}{origin}, {count} times: it never fails for good,"
            " no alert on failed jobs fires, and every restart loads its state again"
        )
        enough = parse_duration(context.options["delay"])
        slow = not isinstance(enough, Bad) and pause >= enough
        yield context.finding(message, found.attempts, found.covers, severity="info" if slow else "")
