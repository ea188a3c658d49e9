"""Backoffs that Flink refuses."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import lookup
from shoal.values import Bad
from shoal.values.flink import parse_duration

_PREFIX = "restart-strategy.exponential-delay."


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink"):
        kind = lookup(job, block, "restart-strategy.type")
        if kind is None or kind.text.strip().lower().replace("-", "") != "exponentialdelay":
            continue
        multiplier = job.get(block, _PREFIX + "backoff-multiplier")
        if multiplier is not None and multiplier.known:
            try:
                factor = float(multiplier.text)
            except ValueError:
                factor = 2.0
            if factor <= 1:
                yield context.finding(
                    f"the job fails at its start: a delay times {multiplier.text.strip()} does not grow, and Flink wants more than 1",
                    multiplier,
                )
        initial = job.get(block, _PREFIX + "initial-backoff")
        most = lookup(job, block, _PREFIX + "max-backoff")
        if initial is None or most is None or not initial.known or not most.known:
            continue
        first, last = parse_duration(initial.text), parse_duration(most.text)
        if not isinstance(first, Bad) and not isinstance(last, Bad) and first > last:
            yield context.finding(
                f"the job fails at its start: the first delay of {first} is longer than the longest, {last}", initial, [most]
            )
