"""Fixed-delay restarts of a stream that end within minutes."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup
from shoal.values import NANOS_PER_SECOND, Bad, Duration
from shoal.values.flink import parse_duration


def check(job: Job, context: Context) -> Iterator[Finding]:
    if questions.batch(job) or job.origins("flink", "kubernetes.operator.job.restart.failed"):
        return
    enough = parse_duration(context.options["outage"])
    for block in job.select("flink"):
        attempts = job.get(block, "restart-strategy.fixed-delay.attempts")
        count = flink.whole(attempts)
        kind = lookup(job, block, "restart-strategy.type")
        if attempts is None or count is None or not 0 < count <= context.options["attempts"] or isinstance(enough, Bad):
            continue
        if kind is not None and kind.known and kind.text.strip().lower() not in ("fixed-delay", "fixeddelay"):
            continue
        delay = lookup(job, block, "restart-strategy.fixed-delay.delay")
        pause = parse_duration(delay.text) if delay is not None and delay.known else Duration(NANOS_PER_SECOND)
        if isinstance(pause, Bad) or (delay is not None and not delay.known) or pause.nanos * count >= enough.nanos:
            continue
        restarts = f"{count} restarts, {pause} apart," if count > 1 else f"1 restart, {pause} later,"
        message = (
            f"after {restarts} the next failure ends the job for good: the count never goes back, "
            f"so an outage of {Duration(pause.nanos * count)} is enough, or {count + 1} failures in the months that a stream runs"
        )
        yield context.finding(message, attempts, [delay] if delay is not None else [])
