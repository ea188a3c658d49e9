"""A limit on failures that do not fit into its interval."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import flink
from shoal.templates.common import lookup
from shoal.values import Bad, Duration
from shoal.values.flink import parse_duration

_PREFIX = "restart-strategy.failure-rate."


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink"):
        most = job.get(block, _PREFIX + "max-failures-per-interval")
        kind = lookup(job, block, "restart-strategy.type")
        count = flink.whole(most)
        if most is None or count is None or count < 2:
            continue
        if kind is None or kind.text.strip().lower().replace("-", "") != "failurerate":
            continue
        interval, length = _duration(job, block, "failure-rate-interval", "1 min")
        delay, pause = _duration(job, block, "delay", "1 s")
        if length is None or pause is None or not length.nanos or count * pause.nanos < length.nanos:
            continue
        message = (
            f"the job never gives up: {count} failures with {pause} between them do not fit into {length}"
            f"{'' if interval else ' (the default)'}, so the limit is out of reach"
        )
        yield context.finding(message, most, [setting for setting in (interval, delay) if setting])


def _duration(job: Job, block: Block, name: str, default: str) -> tuple[Setting | None, Duration | None]:
    found = lookup(job, block, _PREFIX + name)
    if found is not None and not found.known:
        return found, None
    value = parse_duration(found.text if found else default)
    return found, None if isinstance(value, Bad) else value
