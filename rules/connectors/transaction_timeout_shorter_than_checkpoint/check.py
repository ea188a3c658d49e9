"""`transaction.timeout.ms` against checkpoint interval + checkpoint timeout."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, tables
from shoal.values import Duration
from shoal.values.flink import parse_duration


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A transaction is open from one checkpoint until the next one is complete: that may take the interval and the timeout."""
    for block, setting, value in tables.sinks(job):
        client = job.blocks.get(f"{block.id}/kafka")
        if value != "exactly-once" or client is None:
            continue
        timeout = kafka.amount(job, client, "transaction.timeout.ms")
        every, longest = job.effective(block, tables.INTERVAL), job.effective(block, "execution.checkpointing.timeout")
        if timeout.setting is None or timeout.value is None or (longest and not longest.known):
            continue
        interval = parse_duration(every.text) if every and every.known else Duration(0)
        limit = parse_duration(longest.text) if longest else Duration(600_000_000_000)
        if not isinstance(interval, Duration) or not isinstance(limit, Duration) or timeout.value >= interval.millis + limit.millis:
            continue
        parts = [f"{kafka.say(interval.millis)} (the checkpoint interval)"] if interval.nanos else []
        parts.append(f"{kafka.say(limit.millis)} (the checkpoint timeout{'' if longest else ', the default'})")
        message = (
            f"Kafka aborts transactions after {kafka.say(timeout.value)}, one may be open for {' + '.join(parts)}: "
            "the aborted records are lost, although the checkpoint counts them as written"
        )
        related = [(other, "counts against it") for other in (every, longest) if other]
        yield context.finding(
            message, timeout.setting, [(setting, "asks for transactions"), *related], confidence="" if every else "medium"
        )
