"""The timeout of `AsyncDataStream.ordered_wait` and its three sisters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.context import Context
from shoal.flink_methods import ASYNC_WAITS
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Known, Millis

_DEFAULT = 600_000


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*ASYNC_WAITS):
        if not module.qualified(call).startswith("pyflink."):
            continue
        node = call.argument(2, "timeout")
        value = module.value(node, call.spot)
        if node is None or not isinstance(value, (Known, Millis)) or not isinstance(value.value, (int, float)):
            continue
        place = module.place(node, call.spot)
        if value.value <= 0:
            message = "no timeout: a request that hangs keeps its place for ever, and once all places are taken no record and no checkpoint passes"
            yield context.finding(message, place, covers=[module.covers(call)])
            continue
        setting, limit = _checkpoint_timeout(job)
        if value.value * 2 >= limit:
            told = f"the checkpoint timeout of {limit / 1000:g} s" if setting is not None else "Flink's checkpoint timeout of 10 min"
            message = (
                f"a request may take {value.value / 1000:g} s, more than half of {told}: one slow batch of requests makes checkpoints fail"
            )
            related = [(setting, "the checkpoint timeout")] if setting is not None else []
            yield context.finding(message, place, related, severity="warning", covers=[module.covers(call)])


def _checkpoint_timeout(job: Job) -> tuple[Any, float]:
    from shoal.values import Duration
    from shoal.values.flink import parse_duration

    for setting in job.anywhere("flink", "execution.checkpointing.timeout"):
        length = parse_duration(setting.text) if setting.known else None
        if isinstance(length, Duration):
            return setting, length.nanos / 1e6
    return None, _DEFAULT
