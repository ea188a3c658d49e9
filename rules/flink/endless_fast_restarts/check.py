"""Restart loops that neither end nor slow down."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup
from shoal.values import NANOS_PER_SECOND, Bad, Duration
from shoal.values.flink import parse_duration

_MINUTE = Duration(60 * NANOS_PER_SECOND)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink"):
        attempts = job.get(block, "restart-strategy.fixed-delay.attempts")
        count = flink.whole(attempts)
        if attempts is None or count is None:
            continue
        kind = lookup(job, block, "restart-strategy.type")
        if count < context.options["attempts"] or (
            kind is not None and kind.known and kind.text.strip().lower() not in ("fixed-delay", "fixeddelay")
        ):
            continue
        delay = lookup(job, block, "restart-strategy.fixed-delay.delay")
        pause = parse_duration(delay.text) if delay is not None and delay.known else Duration(NANOS_PER_SECOND)
        if isinstance(pause, Bad) or (delay is not None and not delay.known) or pause >= _MINUTE:
            continue
        origin = "" if delay is not None else ", the default delay"
        rhythm = f"every {pause}" if pause.nanos else "without a pause"
        message = (
            f"a failure that does not go away restarts the job {rhythm}{origin}, {count} times: it never fails for good,"
            " no alert on failed jobs fires, and every restart loads its state again"
        )
        enough = parse_duration(context.options["delay"])
        slow = not isinstance(enough, Bad) and pause >= enough
        yield context.finding(message, attempts, [delay] if delay else [], severity="info" if slow else "")
