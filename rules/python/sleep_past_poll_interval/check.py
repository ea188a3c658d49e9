"""A sleep between two polls of a consumer in a group that is longer than the group waits for it, or that its records make so long together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.python import blocking, clients
from shoal.python.tree import Call
from shoal.python.values import Known, Object, options

_KEY = "max.poll.interval.ms"
_DEFAULT = 300_000  # of all three clients
# kafka-python's loop over a consumer polls only when it has handed out what the last poll brought.
_RECORDS = 500


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    sleeps = [(call, seconds) for call in module.named("sleep") if (seconds := _seconds(module, call)) is not None]
    if not sleeps:
        return
    blocks = {block.place.span: block for block in job.select("kafka", ("consumer",), ("python",))}
    for made, consumer in clients.made(module, clients.CONSUMERS):
        block = blocks.get(module.call_place(made).span)
        group = job.written(block, "group.id") if block is not None else None
        if block is None or group is None or (group.known and group.text.strip().lower() in ("", "none")):
            continue  # no group, nobody to put it out
        limit = job.written(block, _KEY)
        if limit is None and block.open:
            continue
        if limit is not None and not (limit.known and limit.text.isdecimal()):
            continue
        allowed = int(limit.text) if limit is not None else _DEFAULT
        # a loop that also makes the consumer begins anew after the sleep
        own = {id(loop) for loop in made.spot.loops}
        loops = clients.record_loops(module, consumer) - own
        batch = _at_a_poll(job, block, consumer)
        for call, seconds in sleeps:
            long = seconds * 1000 >= allowed
            if call.spot.conditional and not long:
                continue
            if not long and seconds * 1000 * batch < allowed:
                continue
            if not clients.in_or_called_in(
                module, call, loops if long else loops & {id(one.node) for one in clients.loops_over(module, consumer)}
            ):
                continue
            bound = f"max.poll.interval.ms is {allowed:,} ms" if limit is not None else f"max.poll.interval.ms is {allowed:,} ms by default"
            pause = blocking.seconds(seconds)
            turn = "after each such record" if call.spot.conditional else "at every turn"
            message = (
                f"sleeps for {pause} between two polls, and {bound}: the consumer is put out of its group {turn}, its partitions move, and "
                "what it commits then is refused"
                if long
                else f"sleeps for {pause} after each record, of which kafka-python hands out up to {batch} before it polls again, and {bound}: "
                "behind a backlog the consumer is put out of its group, and what it has read comes again"
            )
            yield context.finding(
                message,
                module.call_place(call),
                [limit] if limit is not None else [],
                confidence="" if long and not call.spot.conditional else "low",
                covers=[module.covers(call)],
            )


def _at_a_poll(job: Job, block: Block, consumer: Object) -> int:
    """How many records a loop over the consumer hands out between two polls; none where each round polls."""
    if clients.library(consumer) != "kafka-python":
        return 0
    told = job.written(block, "max.poll.records")
    if told is None:
        return 0 if block.open else _RECORDS
    return int(told.text) if told.known and told.text.isdecimal() else 0


def _seconds(module: Any, call: Call) -> float | None:
    """How long a call surely sleeps: at every turn, or for each record that is none of those which an `if` took before (`if message.error(): …`)."""
    others = any(arm.kind not in ("main", "loop", "else") for arm in call.spot.arms)
    if module.qualified(call) not in ("time.sleep", "asyncio.sleep", "gevent.sleep") or (call.spot.conditional and others):
        return None
    amounts = []
    for option in options(module.value(call.argument(0, "secs"), call.spot)):
        if not isinstance(option, Known) or isinstance(option.value, bool) or not isinstance(option.value, (int, float)):
            return None
        amounts.append(option.value)
    return min(amounts, default=None)
