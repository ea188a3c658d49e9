"""`max.block.ms` of a Flink sink's producer against the checkpoint timeout."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka
from shoal.values import Duration
from shoal.values.flink import parse_duration

_TIMEOUT = "execution.checkpointing.timeout"
_DEFAULT = 600_000


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in kafka.clients(job, "producer"):
        longest = kafka.amount(job, block, "max.block.ms")
        if block.trait("host") != "flink" or longest.setting is None or longest.value is None:
            continue
        found = job.effective(block, _TIMEOUT)
        length = parse_duration(found.text) if found is not None and found.known else None
        if found is not None and not isinstance(length, Duration):
            continue
        timeout = length.millis if isinstance(length, Duration) else _DEFAULT
        if longest.value < timeout:
            continue
        origin = "" if found else ", the default"
        message = (
            f"when brokers do not answer, a write parks the task for {kafka.say(longest.value)}: checkpoints, which may take "
            f"{kafka.say(timeout)}{origin}, expire behind it"
        )
        yield context.finding(
            message, longest.setting, [(found, "the checkpoint timeout")] if found else [], confidence="" if found else "medium"
        )
