"""`transaction.timeout.ms` against checkpoint interval + checkpoint timeout + what all restarts in a row wait."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka, tables
from shoal.values import Duration
from shoal.values.flink import parse_duration

_KIND = "restart-strategy.type"
# What each strategy waits before a restart, and how often it does so in a row before it gives up.
_WAITS = {
    "fixeddelay": ("restart-strategy.fixed-delay.delay", "restart-strategy.fixed-delay.attempts"),
    "failurerate": ("restart-strategy.failure-rate.delay", "restart-strategy.failure-rate.max-failures-per-interval"),
    "exponentialdelay": ("restart-strategy.exponential-delay.max-backoff", ""),
}
_ENDLESS = 1000  # attempts; nobody waits for the last of so many


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
        if not isinstance(interval, Duration) or not isinstance(limit, Duration):
            continue
        waits, restart, times = _restart(job, block)
        open_for = interval.millis + limit.millis
        if timeout.value >= open_for + restart.millis:
            continue
        tipped = timeout.value >= open_for
        barely = longest is None and timeout.value >= limit.millis  # short by less than an interval, of a timeout that nobody chose
        parts = [f"{kafka.say(interval.millis)} (the checkpoint interval)"] if interval.nanos else []
        parts.append(f"{kafka.say(limit.millis)} (the checkpoint timeout{'' if longest else ', the default'})")
        if tipped and waits:
            what = f"{times} restarts, each after {kafka.say(restart.millis // times)}" if times > 1 else "the wait before a restart"
            parts.append(f"{kafka.say(restart.millis)} ({what})")
        message = (
            f"Kafka aborts transactions after {kafka.say(timeout.value)}, one may be open for {' + '.join(parts)}: "
            "the aborted records are lost, although the checkpoint counts them as written"
        )
        related = [(other, "counts against it") for other in (every, longest, *(waits if tipped else ())) if other]
        yield context.finding(
            message,
            timeout.setting,
            [(setting, "asks for transactions"), *related],
            severity="warning" if tipped else "",
            confidence="low" if barely and not tipped else "" if every and not tipped else "medium",
        )


def _restart(job: Job, block: Block) -> tuple[list[Setting], Duration, int]:
    """How long the job may be down before its last restart succeeds, as far as it is written: the settings, the length, how many restarts."""
    kind = job.effective(block, _KIND)
    delay, limit = _WAITS.get(kind.text.strip().lower().replace("-", ""), ("", "")) if kind is not None and kind.known else ("", "")
    wait = job.effective(block, delay) if delay else None
    length = parse_duration(wait.text) if wait is not None and wait.known else None
    if wait is None or not isinstance(length, Duration):
        return [], Duration(0), 0
    attempts = job.effective(block, limit) if limit else None
    times = int(attempts.text) if attempts is not None and attempts.known and attempts.text.strip().isdecimal() else 1
    if attempts is None or not 1 < times < _ENDLESS:
        return [wait], length, 1
    return [wait, attempts], Duration(length.nanos * times), times
