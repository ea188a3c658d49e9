"""Fixed-delay restarts of a stream that end within minutes."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import flink
from shoal.values import Bad, Duration
from shoal.values.flink import parse_duration


def check(job: Job, context: Context) -> Iterator[Finding]:
    if questions.batch(job) or job.origins("flink", "kubernetes.operator.job.restart.failed"):
        return
    enough = parse_duration(context.options["outage"])
    for block in job.select("flink"):
        found = flink.fixed_delay(job, block)
        if found is None or not 0 < found.times <= context.options["attempts"] or isinstance(enough, Bad):
            continue
        count, pause = found.times, found.pause
        if pause.nanos * count >= enough.nanos:
            continue
        restarts = f"{count} restarts, {pause} apart," if count > 1 else f"1 restart, {pause} later,"
        message = (
            f"after {restarts} the next failure ends the job for good: the count never goes back, "
            f"so an outage of {Duration(pause.nanos * count)} is enough, or {count + 1} failures in the months that a stream runs"
        )
        yield context.finding(message, found.attempts, found.covers)
