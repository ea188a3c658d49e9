"""The capacity of `AsyncDataStream.ordered_wait` and its three sisters."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.flink_methods import ASYNC_WAITS
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import Known
from shoal.templates import flink


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.named(*ASYNC_WAITS):
        node = call.argument(ASYNC_WAITS[call.name], "capacity")
        if node is None or not module.qualified(call).startswith("pyflink."):
            continue
        value = module.value(node, call.spot)
        if not isinstance(value, Known) or not isinstance(value.value, int) or isinstance(value.value, bool):
            continue
        place = module.place(node, call.spot)
        if value.value <= 0:
            yield context.finding("no room for a request: the first record waits for ever, and every checkpoint behind it fails", place)
        elif told := flink.capacity_extreme(value.value):
            yield context.finding(told, place, severity="info", confidence="low")
